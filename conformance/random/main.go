// Command random compares the generated code of all languages, the compiler's
// interpreter and the Python reference on schemas, values and damaged bytes that
// nobody thought of.
//
//	go run ./conformance/random [-seed N] [-schemas N] [-cpp-schemas N] [-cxx COMMAND] [-values N] [-mutations N] [-keep DIR] [-sdp PROGRAM]
//
// It prints its seed, how often each construct lay at each nesting, and their disagreements. A
// construct that did not occur at nesting 1 to 3 fails the run.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// effort is how much is tried.
type effort struct {
	schemas, values, mutations int
	// cpp is how many of the schemas are compiled for C++, too, which takes longest,
	// and cxx the compiler for it, with its flags.
	cpp int
	cxx string
}

func main() {
	var e effort
	seed := flag.Uint64("seed", 0, "seed of everything (default: the time)")
	sdp := flag.String("sdp", "", "the sdp tool (default: built from this repository)")
	keep := flag.String("keep", "", "folder for the schemas and the runner (default: a temporary one)")
	flag.IntVar(&e.schemas, "schemas", 12, "schemas to make")
	flag.IntVar(&e.cpp, "cpp-schemas", 4, "schemas among them to make for C++, too")
	flag.StringVar(&e.cxx, "cxx", "g++ -std=c++17 -O1", "C++ compiler, with its flags")
	flag.IntVar(&e.values, "values", 12, "values to make of each type")
	flag.IntVar(&e.mutations, "mutations", 8, "damaged copies to make of each value's bytes")
	flag.Parse()
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	fmt.Printf("seed %d\n", *seed)
	passed, failed, err := try(e, *seed, *keep, *sdp)
	if err != nil {
		fmt.Fprintln(os.Stderr, "random:", err)
		os.Exit(1)
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 || passed == 0 {
		os.Exit(1)
	}
}

func try(e effort, seed uint64, keep, sdp string) (passed, failed int, err error) {
	folder := keep
	if folder == "" {
		if folder, err = os.MkdirTemp("", "sdp-random-"); err != nil {
			return 0, 0, err
		}
		defer func() { err = firstOf(err, os.RemoveAll(folder)) }()
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return 0, 0, err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return 0, 0, err
	}
	programs, err := schemas(folder, e.schemas, seed)
	if err != nil {
		return 0, 0, err
	}
	crate := filepath.Join(folder, "rust")
	if keep == "" {
		// Cargo then compiles again only what another run has not.
		crate = filepath.Join("target", "random")
	}
	judges, err := startJudges(folder, crate, sdp, programs, e)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = firstOf(err, judges.close()) }()
	run := newRun(e, seed, judges)
	for _, p := range programs {
		if err := run.program(p); err != nil {
			return 0, 0, err
		}
	}
	run.histogram.print()
	missing := run.histogram.missing()
	for _, construct := range missing {
		fmt.Printf("FAIL no value had %s at nesting %d\n", construct.Name, construct.Nesting)
	}
	fmt.Printf("%d comparisons, %d inputs were refused\n", run.passed+run.failed, run.refused)
	return run.passed, run.failed + len(missing), nil
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// source is one schema.
type source struct {
	name    string // the file's name without its ending
	program *plan.Program
}

// schemas writes random schemas to a folder and compiles each for the interpreter.
func schemas(folder string, n int, seed uint64) ([]source, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	files := check.Memory{}
	var made []source
	var imported *writer
	for i := range n {
		name := fmt.Sprintf("r%d", i)
		w := newWriter(rng, name, imported)
		files[name+".sdp"] = w.text()
		if err := os.WriteFile(filepath.Join(folder, name+".sdp"), []byte(w.text()), 0o666); err != nil {
			return nil, err
		}
		schema, problems := check.Program(files, []string{name + ".sdp"}, format.Canonical)
		if schema == nil {
			return nil, fmt.Errorf("%s.sdp is refused: %v\n%s", name, problems.Sorted()[0], w.text())
		}
		made = append(made, source{name, plan.New(schema)})
		// Every second schema imports its predecessor.
		if imported == nil {
			imported = w
		} else {
			imported = nil
		}
	}
	return made, nil
}
