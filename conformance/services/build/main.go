// Command build makes the program of conformance/services in some languages, once
// for each release of the schema.
//
//	go run ./conformance/services/build LANGUAGE...
//
// It runs from the root of the repository, and makes conformance/services/out/LANGUAGE-old
// and LANGUAGE-new. What a program is made from is laid into out/src/LANGUAGE-RELEASE: the
// files of conformance/services/LANGUAGE, those of its folder old or new over them, and the
// stubs. In these files {{root}} is the repository, and {{release}} the release.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// releases are those of the schema.
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
	if err := run(root, "go", "build", "-o", tool, "./cmd/sdp"); err != nil {
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
	schema := filepath.Join("conformance", "services", "schemas", b.release, "ledger.sdp")
	if err := run(b.root, tool, append([]string{"gen", schema, "--services"}, made.generate(b)...)...); err != nil {
		return err
	}
	program, err := made.compile(b)
	if err != nil {
		return err
	}
	return install(program, filepath.Join(b.root, "conformance", "services", "out", b.language+"-"+b.release))
}

// lay copies the files of a folder but those of some folders in it.
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
		return write(filepath.Join(b.source, below), []byte(holes.Replace(string(text))))
	})
}

// write leaves a file alone that has the text already, so that nothing is compiled
// again.
func write(file string, text []byte) error {
	if there, err := os.ReadFile(file); err == nil && bytes.Equal(there, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// install copies a program to a name that nothing runs under any more.
func install(program, name string) error {
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(name, text, 0o777)
}

func run(dir, name string, args ...string) error {
	command := exec.Command(name, args...)
	command.Dir = dir
	output, err := command.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, output)
	}
	return nil
}
