// Command build makes the program of conformance/services in some languages, once
// for each release of the schema.
//
//	go run ./conformance/services/build LANGUAGE...
//
// It runs from the root of the repository, and makes conformance/services/out/LANGUAGE-old
// and LANGUAGE-new. The sources of a program are laid into out/src/LANGUAGE-RELEASE: the files of
// conformance/services/LANGUAGE, the files of its folder old or new over them, and the stubs. In
// these files {{root}} is the repository, and {{release}} the release.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// releases are the releases of the schema.
var releases = []string{"old", "new"}

// language knows how a program in one language is made.
type language struct {
	// generate are the flags of `sdp gen` that say where the stubs go.
	generate func(b *build) []string
	// compile makes the program, and says where it is.
	compile func(b *build) (program string, err error)
}

// languages are added by the files that are named for them.
var languages = map[string]language{}

// build is one program that is made.
type build struct {
	root     string // of the repository
	language string
	release  string
	source   string // the folder that it is compiled in
}

func main() {
	if err := buildAll(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func buildAll(names []string) error {
	if len(names) == 0 {
		return errors.New("name the languages")
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	tool := filepath.Join(root, "conformance", "services", "out", "sdp")
	if err := building.Run(root, "go", "build", "-o", tool, "./cmd/sdp"); err != nil {
		return fmt.Errorf("%w (run it from the root of the repository)", err)
	}
	for _, name := range names {
		made, ok := languages[name]
		if !ok {
			return fmt.Errorf("there is no language %s", name)
		}
		for _, release := range releases {
			b := &build{root, name, release, filepath.Join(root, "conformance", "services", "out", "src", name+"-"+release)}
			if err := b.make(tool, made); err != nil {
				return fmt.Errorf("%s-%s: %w", name, release, err)
			}
		}
	}
	return nil
}

// make lays what the program is made from, and makes it.
func (b *build) make(tool string, made language) error {
	from := filepath.Join(b.root, "conformance", "services", b.language)
	if err := b.lay(from, releases...); err != nil {
		return err
	}
	if err := b.lay(filepath.Join(from, b.release)); err != nil {
		return err
	}
	schemas := filepath.Join("conformance", "services", "schemas")
	files := []string{filepath.Join(schemas, b.release, "ledger.sdp"), filepath.Join(schemas, "levels.sdp")}
	if err := building.Run(b.root, tool, slices.Concat([]string{"gen"}, files, []string{"--services"}, made.generate(b))...); err != nil {
		return err
	}
	program, err := made.compile(b)
	if err != nil {
		return err
	}
	return building.Install(program, filepath.Join(b.root, "conformance", "services", "out", b.language+"-"+b.release))
}

// lay copies the files of a folder without the files of some folders in it.
func (b *build) lay(from string, but ...string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(but, below) {
				return fs.SkipDir
			}
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		holes := strings.NewReplacer("{{root}}", filepath.ToSlash(b.root), "{{release}}", b.release)
		return building.Write(filepath.Join(b.source, below), holes.Replace(string(text)))
	})
}
