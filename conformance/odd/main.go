// Command odd compiles what is generated for schemas that are valid, and that
// nobody would write: names that a language keeps to itself or that generated code
// uses, in every place that has a name; bodies and arrays of every size; texts of
// characters that a compiler may take for something else.
//
//	go run ./conformance/odd [-languages go,rust] [-keep DIR] [-seed N [-count N]] [-imported DIR]
//
// With a folder of imported schemas it compiles, instead, so many of them, which the seed chooses,
// and their imports.
//
// Without a seed it takes each word at each place, each type in each place, and the
// schemas of conformance/odd/cases, and schemas of every kind of type with each choice of
// the parts of their code; with one it makes schemas at random. Each
// language's compiler has to accept all of it without a warning: go vet of Go, cargo
// check of Rust, g++ -fsyntax-only with strict warnings of C++, and tsc of TypeScript. Schemas that
// a backend refuses by a diagnostic, such as two names that are one in a language, are counted, and
// must be refused when they are alone, too.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/language"
)

func main() {
	var r run
	chosen := flag.String("languages", strings.Join(language.All.Names(), ","), "languages to generate and compile")
	keep := flag.String("keep", filepath.Join("target", "odd"), "folder for the schemas and the code")
	seed := flag.Uint64("seed", 0, "seed of random schemas (default: none of them)")
	count := flag.Int("count", 20, "random schemas to make")
	flag.StringVar(&r.schemas, "imported", "", "folder of schemas to take instead")
	flag.BoolVar(&r.verbose, "v", false, "print what is refused")
	flag.Parse()
	debug.SetGCPercent(garbagePercent)
	if err := r.try(*chosen, *keep, *seed, *count); err != nil {
		fmt.Fprintln(os.Stderr, "odd:", err)
		os.Exit(1)
	}
}

// run is one run of the command.
type run struct {
	root    string // of the repository
	schemas string // a folder of imported ones; empty for odd ones
	verbose bool
}

func (r *run) try(chosen, keep string, seed uint64, count int) error {
	var err error
	if r.root, err = os.Getwd(); err != nil {
		return err
	}
	if keep, err = filepath.Abs(keep); err != nil {
		return err
	}
	names := strings.Split(chosen, ",")
	var wanted []project
	for _, name := range language.All.Names() {
		if !slices.Contains(names, name) {
			continue
		}
		known := slices.IndexFunc(projects, func(p project) bool { return p.language == name })
		if known < 0 {
			return fmt.Errorf("nothing says how %s is compiled", name)
		}
		wanted = append(wanted, projects[known])
	}
	// Two compilers have nothing in common but the machine.
	failed := make([]error, len(wanted))
	var all sync.WaitGroup
	room := make(chan struct{}, 2)
	for i, p := range wanted {
		all.Add(1)
		go func() {
			defer all.Done()
			room <- struct{}{}
			defer func() { <-room }()
			if err := r.one(p, keep, seed, count); err != nil {
				failed[i] = fmt.Errorf("%s: %w", p.language, err)
			}
		}()
	}
	all.Wait()
	return errors.Join(failed...)
}

// one compiles what there is for one language.
func (r *run) one(p project, keep string, seed uint64, count int) error {
	if r.schemas != "" {
		chosen, err := sample(r.schemas, seed, count)
		if err != nil {
			return err
		}
		return r.imported(p, filepath.Join(keep, "imported", p.language), chosen)
	}
	begun := time.Now()
	schemas := random(seed, count)
	if seed == 0 {
		var err error
		if schemas, err = systematic(p.language); err != nil {
			return err
		}
	}
	made, err := r.lay(p, filepath.Join(keep, p.language), schemas)
	if err != nil {
		return err
	}
	var parts []string
	if seed == 0 {
		if parts, err = r.parts(p, made.folder); err != nil {
			return err
		}
	}
	if err := r.compile(p, made, parts); err != nil {
		return err
	}
	fmt.Printf("%s: %d packages with %d names and %d choices of parts compile, %d names are refused; %.1f s\n",
		p.language, made.packages, made.names, len(parts), made.refused, time.Since(begun).Seconds())
	return nil
}

// compile compiles what was laid, and the choices of parts: with it, where these can be together.
func (r *run) compile(p project, made laid, parts []string) error {
	if !p.compileEach {
		made.rounds = slices.Concat(made.rounds, parts)
		return p.compile(r, made)
	}
	failed := p.compile(r, made)
	for _, round := range parts {
		failed = errors.Join(failed, p.compile(r, laid{folder: made.folder, rounds: []string{round}}))
	}
	return failed
}
