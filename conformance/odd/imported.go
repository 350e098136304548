package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/driver"
)

// sample are some of the schemas below a folder, by a seed.
func sample(folder string, seed uint64, count int) (chosen []string, err error) {
	err = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(name, ".sdp") {
			chosen = append(chosen, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(chosen) < count {
		return nil, fmt.Errorf("%s has only %d schemas", folder, len(chosen))
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	chosen = chosen[:count]
	slices.Sort(chosen)
	return chosen, nil
}

// imported compiles the code of schemas that others have written, and of what those import.
func (r *run) imported(p project, folder string, schemas []string) error {
	begun := time.Now()
	if err := p.start(r, folder); err != nil {
		return err
	}
	options := p.options(filepath.Join(folder, p.sources, "i0"))
	options.Schemas = schemas
	var told bytes.Buffer
	if err := (&driver.Tool{Out: &told, Err: &told}).Gen(options); err != nil {
		return fmt.Errorf("%w: %s", err, told.Bytes())
	}
	if err := p.compile(r, laid{folder: folder, rounds: []string{"i0"}}); err != nil {
		return fmt.Errorf("%w\nof the schemas %s", err, strings.Join(schemas, " "))
	}
	fmt.Printf("%s: %d imported schemas compile; %.1f s\n", p.language, len(schemas), time.Since(begun).Seconds())
	return nil
}
