// Command odd compiles what is generated for schemas that are valid, and that
// nobody would write: names that a language keeps to itself or that generated code
// uses, in every place that has a name; empty bodies and long arrays.
//
//	go run ./conformance/odd [-keep DIR] [-v]
//
// It takes each word at each place, a package of each word, and the schemas of
// conformance/odd/cases. It compiles Go; go vet has to accept all of it. What a backend refuses by a diagnostic, such as
// two names that are one in a language, is counted, and must be refused when it is
// alone, too.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	var r run
	keep := flag.String("keep", filepath.Join("target", "odd"), "folder for the schemas and the code")
	flag.BoolVar(&r.verbose, "v", false, "print what is refused")
	flag.Parse()
	if err := r.try(*keep); err != nil {
		fmt.Fprintln(os.Stderr, "odd:", err)
		os.Exit(1)
	}
}

// run is one run of the command.
type run struct {
	root    string // of the repository
	verbose bool
}

func (r *run) try(keep string) error {
	var err error
	if r.root, err = os.Getwd(); err != nil {
		return err
	}
	if keep, err = filepath.Abs(keep); err != nil {
		return err
	}
	for _, l := range languages {
		begun := time.Now()
		schemas, err := systematic(l.name)
		if err != nil {
			return err
		}
		made, err := r.lay(l, filepath.Join(keep, l.name), schemas)
		if err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		if err := l.compile(r, made); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		fmt.Printf("%s: %d packages with %d names compile, %d names are refused; %.1f s\n",
			l.name, made.packages, made.names, made.refused, time.Since(begun).Seconds())
	}
	return nil
}
