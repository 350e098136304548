// Command build makes a C++ runner for schemas: it generates their code, writes
// the table by which the runner finds their types, and compiles it, each schema
// by itself.
//
//	go run ./conformance/runners/cpp/build [-out DIR] [-cxx COMPILER] [-flags FLAGS] [-make GOALS] SCHEMA...
//
// The runner is DIR/runner. It names a type SCHEMA.TYPE, SCHEMA being the file's
// name without ".sdp". With -make another of its Makefile's goals is built.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// options are what the command line says.
type options struct{ out, sdp, cxx, flags, goals string }

func main() {
	var o options
	flag.StringVar(&o.out, "out", filepath.Join("conformance", "runners", "cpp", "out"), "folder for the sources and the runner")
	flag.StringVar(&o.sdp, "sdp", "", "the sdp tool (default: built from this repository)")
	flag.StringVar(&o.cxx, "cxx", "g++", "the compiler")
	flag.StringVar(&o.flags, "flags", "-std=c++17 -O1", "the compiler's flags, beside warnings")
	flag.StringVar(&o.goals, "make", "runner", "what to build: runner, values_test or types.a")
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
	out, err := filepath.Abs(o.out)
	if err != nil {
		return err
	}
	o.out = out
	for _, program := range []string{o.cxx, "make"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is missing", program)
		}
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
	rename(made)
	files := map[string]string{"schemas.cpp": list(made)}
	for _, g := range made {
		files["schema_"+g.schema+".cpp"] = g.table()
	}
	if err := o.lay(files); err != nil {
		return err
	}
	goals := append([]string{"--silent", fmt.Sprintf("--jobs=%d", runtime.NumCPU())}, strings.Fields(o.goals)...)
	return run(o.out, "make", goals...)
}

// source is where the runner's own files lie.
var source = filepath.Join("conformance", "runners", "cpp", "runner")

// lay writes what is compiled: the runner's own files and those that are given.
func (o options) lay(files map[string]string) error {
	own, err := filepath.Glob(filepath.Join(source, "*"))
	if err != nil {
		return err
	}
	if len(own) == 0 {
		return fmt.Errorf("%s is not here: run it from the root of the repository", source)
	}
	include, err := filepath.Abs(filepath.Join("runtime", "cpp", "include"))
	if err != nil {
		return err
	}
	for _, name := range own {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files[filepath.Base(name)] = strings.NewReplacer("{{cxx}}", o.cxx, "{{flags}}", o.flags, "{{include}}", include).Replace(string(text))
	}
	old, err := filepath.Glob(filepath.Join(o.out, "*.cpp"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if _, ok := files[filepath.Base(name)]; !ok {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	for name, text := range files {
		if err := write(filepath.Join(o.out, name), text); err != nil {
			return err
		}
	}
	return nil
}

// write leaves a file alone that has the text already, so that it is not compiled
// again.
func write(file, text string) error {
	if there, err := os.ReadFile(file); err == nil && bytes.Equal(there, []byte(text)) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o666)
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
