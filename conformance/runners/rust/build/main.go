// Command build makes a Rust runner for schemas: it generates their code into a
// crate of its own, writes the table by which the runner finds their types, and
// compiles it.
//
//	go run ./conformance/runners/rust/build [-out DIR] [-machine TRIPLE] [-check] SCHEMA...
//
// The runner is DIR/runner. It names a type SCHEMA.TYPE, SCHEMA being the file's
// name without ".sdp". With -check it also holds the generated code against
// rustfmt and clippy.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// options are what the command line says.
type options struct {
	building.Runner
	target  string
	machine string
	check   bool
}

func main() {
	var o options
	flag.StringVar(&o.target, "target", filepath.Join("target", "conformance"), "folder for what cargo builds")
	flag.StringVar(&o.machine, "machine", "", "the machine of the runner, as rustc names it (default: this one)")
	flag.BoolVar(&o.check, "check", false, "hold the generated code against rustfmt and clippy, too")
	building.Main("rust", func(r building.Runner) error {
		o.Runner = r
		return build(o)
	})
}

func build(o options) error {
	var err error
	if o.target, err = filepath.Abs(o.target); err != nil {
		return err
	}
	if _, err := exec.LookPath("cargo"); err != nil {
		return errors.New("cargo is missing; see https://rustup.rs")
	}
	if err := start(o.Out); err != nil {
		return err
	}
	var made []*generated
	for _, file := range o.Schemas {
		g, err := generate(o, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		made = append(made, g)
	}
	if err := errors.Join(building.Write(filepath.Join(o.Out, "generated", "lib.rs"), library(made)), building.Write(filepath.Join(o.Out, "src", "types.rs"), table(made))); err != nil {
		return err
	}
	build := []string{"build", "--quiet", "--bins"}
	if o.machine != "" {
		build = append(build, "--target", o.machine)
	}
	if err := o.cargo(build...); err != nil {
		return err
	}
	if o.check {
		if err := o.lint(); err != nil {
			return err
		}
	}
	runner := "runner"
	if strings.Contains(o.machine, "-windows-") {
		runner += ".exe"
	}
	return building.Install(filepath.Join(o.target, o.machine, "debug", runner), filepath.Join(o.Out, runner))
}

// source is where the runner's own files lie.
var source = filepath.Join("conformance", "runners", "rust", "runner")

// start lays the crate without the generated code.
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
	if err := building.Write(filepath.Join(out, "Cargo.toml"), text); err != nil {
		return err
	}
	// Crates of others are used in the versions that the repository is tested with.
	if err := building.Copy("Cargo.lock", filepath.Join(out, "Cargo.lock")); err != nil {
		return err
	}
	for _, folder := range []string{"src", "tests"} {
		files, err := filepath.Glob(filepath.Join(source, folder, "*.rs"))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := building.Copy(file, filepath.Join(out, folder, filepath.Base(file))); err != nil {
				return err
			}
		}
	}
	return nil
}

// cargo runs cargo in the crate.
func (o options) cargo(args ...string) error {
	args = slices.Insert(args, 1, "--target-dir", o.target)
	return building.Run(o.Out, "cargo", args...)
}

// lint fails if the code is not as rustfmt prints it, or clippy has something to
// say.
func (o options) lint() error {
	if err := building.Run(o.Out, "cargo", "fmt", "--check"); err != nil {
		return err
	}
	return o.cargo("clippy", "--quiet", "--all-targets", "--", "-D", "warnings")
}
