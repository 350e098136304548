// Command compile measures what generated code costs its users to build, beside the code of other generators.
//
//	bench/compile/bench.sh [-rounds N] [-seconds N] [-once] [-table] [-stamp] [WORD...]
//
// A word is the name of a language or of a schema; without any, it is all of them. README.md lists the
// measurements.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options are what the command line says.
type options struct {
	rounds  int
	seconds int
	once    bool
	words   []string
}

func main() {
	var o options
	root := flag.String("root", "../..", "the repository's root")
	flag.IntVar(&o.rounds, "rounds", 6, "how often each build is measured")
	flag.IntVar(&o.seconds, "seconds", 600, "a schema gets no round that would end later than this")
	flag.BoolVar(&o.once, "once", false, "build tiny schemas, or the named ones, once, beside the installed peers; writes no results")
	table := flag.Bool("table", false, "print the tables of the results that are there")
	stamp := flag.Bool("stamp", false, "write the tables of the results that are there into the documents")
	flag.Parse()
	o.words = flag.Args()
	if err := run(*root, o, *table, *stamp); err != nil {
		fmt.Fprintln(os.Stderr, "compile:", err)
		os.Exit(1)
	}
}

func run(root string, o options, table, stamp bool) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if stamp {
		return stampDocuments(root)
	}
	if table {
		text, err := tables(filepath.Join(root, resultsFolder))
		fmt.Print(text)
		return err
	}
	return measure(root, o)
}

// measure measures each language on each schema that was asked for.
func measure(root string, o options) error {
	tiny := o.once && o.wants("", schemaNames)
	subjects, err := schemas(root, tiny)
	if err != nil {
		return err
	}
	names := append(languageNames(), schemaNames...)
	for _, word := range o.words {
		if !slices.Contains(names, word) {
			return fmt.Errorf("%s is neither a language nor a schema; there are %s", word, strings.Join(names, ", "))
		}
	}
	w := &workshop{root: root, folder: filepath.Join(root, "target", "compile")}
	for _, l := range languages {
		if !o.wants(l.name, languageNames()) {
			continue
		}
		if err := l.start(w); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		for _, s := range subjects {
			if !o.wants(s.name, schemaNames) {
				continue
			}
			if err := l.measure(w, s, o); err != nil {
				return fmt.Errorf("%s, %s: %w", l.name, s.name, err)
			}
		}
	}
	return nil
}

// wants tells whether one of several names is asked for, by itself or since none of them is.
func (o options) wants(name string, among []string) bool {
	return slices.Contains(o.words, name) ||
		!slices.ContainsFunc(o.words, func(word string) bool { return slices.Contains(among, word) })
}

// measure measures the codecs of a language on a schema in turns, and writes the results.
func (l *language) measure(w *workshop, s *schema, o options) error {
	var made []*code
	for _, c := range l.codecs {
		if s.services != c.services {
			continue
		}
		if missing := c.missing(w); missing != "" {
			if !o.once {
				return fmt.Errorf("%s needs %s, which is not installed", c.name, missing)
			}
			fmt.Printf("NOT MEASURED: %s, %s, %s: %s is not installed\n", l.name, s.name, c.name, missing)
			continue
		}
		one, err := c.make(w, s)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		made = append(made, one)
	}
	if len(made) == 0 {
		return nil
	}
	rounds := o.rounds
	if o.once {
		rounds = 1
		for _, c := range made {
			c.builds = c.builds[:1]
		}
	}
	if err := turns(made, rounds, time.Duration(o.seconds)*time.Second); err != nil {
		return err
	}
	if o.once {
		for _, c := range made {
			fmt.Printf("%s, %s, %s: %d lines, built once\n", l.name, s.name, c.codec, c.lines)
		}
		return nil
	}
	r, err := newResults(w, l, s)
	if err != nil {
		return err
	}
	for _, c := range made {
		record, err := c.record()
		if err != nil {
			return fmt.Errorf("%s: %w", c.codec, err)
		}
		r.Code = append(r.Code, record)
	}
	fmt.Print(r.markdown())
	return r.write(filepath.Join(w.root, resultsFolder))
}
