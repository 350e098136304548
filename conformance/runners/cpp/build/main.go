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
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// options are what the command line says.
type options struct {
	building.Runner
	cxx, flags, goals string
}

func main() {
	var o options
	flag.StringVar(&o.cxx, "cxx", "g++", "the compiler")
	flag.StringVar(&o.flags, "flags", "-std=c++17 -O1", "the compiler's flags, beside warnings")
	flag.StringVar(&o.goals, "make", "runner", "what to build: runner, values_test or types.a")
	building.Main("cpp", func(r building.Runner) error {
		o.Runner = r
		return build(o)
	})
}

func build(o options) error {
	for _, program := range []string{o.cxx, "make"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%s is missing", program)
		}
	}
	var made []*generated
	for _, file := range o.Schemas {
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
	return building.Run(o.Out, "make", goals...)
}

// source is where the runner's own files lie.
var source = filepath.Join("conformance", "runners", "cpp", "runner")

// lay writes the sources: the runner's own files and the given ones.
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
	old, err := filepath.Glob(filepath.Join(o.Out, "*.cpp"))
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
		if err := building.Write(filepath.Join(o.Out, name), text); err != nil {
			return err
		}
	}
	return nil
}
