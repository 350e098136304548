// Command build makes a Rust runner for schemas: it generates their code into a
// crate of its own, writes the table by which the runner finds their types, and
// compiles it.
//
//	go run ./conformance/runners/rust/build [-out DIR] [-check] SCHEMA...
//
// The runner is DIR/runner. It names a type SCHEMA.TYPE, SCHEMA being the file's
// name without ".sdp". With -check it also holds the generated code against
// rustfmt and clippy.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// options are what the command line says.
type options struct {
	out, sdp, target string
	check            bool
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", filepath.Join("conformance", "runners", "rust", "out"), "folder for the crate and the runner")
	flag.StringVar(&o.sdp, "sdp", "", "the sdp tool (default: built from this repository)")
	flag.StringVar(&o.target, "target", filepath.Join("target", "conformance"), "folder for what cargo builds")
	flag.BoolVar(&o.check, "check", false, "hold the generated code against rustfmt and clippy, too")
	flag.Parse()
	if err := build(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func build(o options, schemas []string) error {
	if len(schemas) == 0 {
		return errors.New("name the schemas")
	}
	for _, folder := range []*string{&o.out, &o.target} {
		absolute, err := filepath.Abs(*folder)
		if err != nil {
			return err
		}
		*folder = absolute
	}
	if _, err := exec.LookPath("cargo"); err != nil {
		return errors.New("cargo is missing; see https://rustup.rs")
	}
	if err := start(o.out); err != nil {
		return err
	}
	if o.sdp == "" {
		o.sdp = filepath.Join(o.out, "sdp")
		if err := run("", "go", "build", "-o", o.sdp, "github.com/serial-data-protocol/sdp/cmd/sdp"); err != nil {
			return err
		}
	}
	var made []*generated
	for _, file := range schemas {
		g, err := generate(o, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		made = append(made, g)
	}
	if err := firstOf(write(filepath.Join(o.out, "generated", "lib.rs"), library(made)), write(filepath.Join(o.out, "src", "types.rs"), table(made))); err != nil {
		return err
	}
	if err := o.cargo("build", "--quiet", "--bins"); err != nil {
		return err
	}
	if o.check {
		if err := o.lint(); err != nil {
			return err
		}
	}
	return install(filepath.Join(o.target, "debug", "runner"), filepath.Join(o.out, "runner"))
}

// source is where the runner's own files lie.
var source = filepath.Join("conformance", "runners", "rust", "runner")

// start lays the crate but for what is generated.
func start(out string) error {
	runtime, err := filepath.Abs(filepath.Join("runtime", "rust"))
	if err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join(source, "Cargo.toml"))
	if err != nil {
		return fmt.Errorf("%w (run it from the root of the repository)", err)
	}
	text := strings.ReplaceAll(string(manifest), "{{runtime}}", filepath.ToSlash(runtime))
	if err := write(filepath.Join(out, "Cargo.toml"), text); err != nil {
		return err
	}
	// Crates of others are used in the versions that the repository is tested with.
	if err := copyFile("Cargo.lock", filepath.Join(out, "Cargo.lock")); err != nil {
		return err
	}
	for _, folder := range []string{"src", "tests"} {
		files, err := filepath.Glob(filepath.Join(source, folder, "*.rs"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := copyFile(file, filepath.Join(out, folder, filepath.Base(file))); err != nil {
				return err
			}
		}
	}
	return nil
}

// cargo runs cargo in the crate.
func (o options) cargo(args ...string) error {
	args = slices.Insert(args, 1, "--target-dir", o.target)
	return run(o.out, "cargo", args...)
}

// lint fails if the code is not as rustfmt prints it, or clippy has something to
// say.
func (o options) lint() error {
	if err := run(o.out, "cargo", "fmt", "--check"); err != nil {
		return err
	}
	return o.cargo("clippy", "--quiet", "--all-targets", "--", "-D", "warnings")
}

// install copies a program to a name that nothing runs under any more.
func install(program, name string) error {
	text, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(name, text, 0o777)
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return write(to, string(text))
}

// write leaves a file alone that has the text already, so that cargo does not
// compile it again.
func write(file, text string) error {
	if there, err := os.ReadFile(file); err == nil && bytes.Equal(there, []byte(text)) {
		return nil
	}
	return firstOf(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666))
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
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
