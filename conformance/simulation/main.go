// Command simulation lets two sessions of MXP talk over a bad network, each in a
// runner of any language, with a clock of its own. All that is random comes from
// a seed: the same seed gives the same trace.
//
//	go run . -seed N [-pair go,rust]
//	go run . -from 1 -count 300 [-pairs all]
//
// The first prints the trace of one run. The second makes many: with each seed
// one between two sessions in Go, and one between two other runners, whose trace
// must be the same. What a session does is also held against an oracle that
// knows none of the implementations.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := simulate(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "simulation:", err)
		os.Exit(1)
	}
}

func simulate(args []string) error {
	flags := flag.NewFlagSet("simulation", flag.ContinueOnError)
	root := flags.String("root", "../..", "the repository")
	seed := flags.Uint64("seed", 0, "print the trace of this run")
	between := flags.String("pair", "go,go", "the languages of opener and acceptor")
	from := flags.Uint64("from", 1, "first seed")
	count := flags.Uint64("count", 300, "number of seeds")
	with := flags.String("pairs", "all", "pairs that are held against go,go, by seed in turn: all, or go,rust;cpp,rust")
	programs := runners{"go": "conformance/runners/mxp/go/out/runner", "rust": "target/frames/debug/runner", "cpp": "conformance/runners/mxp/cpp/out/runner"}
	flags.Var(programs, "runner", "another program for a language: go=PROGRAM")
	if err := flags.Parse(args); err != nil {
		return err
	}
	for language, program := range programs {
		if !filepath.IsAbs(program) {
			programs[language] = filepath.Join(*root, program)
		}
	}
	if *seed > 0 {
		one, err := parsePair(*between)
		if err != nil {
			return err
		}
		return printRun(programs, *seed, one)
	}
	others, err := parsePairs(*with)
	if err != nil {
		return err
	}
	return many(programs, *from, *count, others)
}

// runners are the programs that hold sessions, by language.
type runners map[string]string

func (r runners) String() string { return "" }

// Set takes the program of one language from the command line.
func (r runners) Set(text string) error {
	language, program, ok := strings.Cut(text, "=")
	if !ok || r[language] == "" {
		return fmt.Errorf("%q is not LANGUAGE=PROGRAM", text)
	}
	r[language] = program
	return nil
}

// languages are those of the runners, the one that others are held against first.
var languages = [...]string{"go", "rust", "cpp"}

// pair has the languages of opener and acceptor.
type pair [2]string

func (p pair) String() string { return p[0] + "," + p[1] }

// same is the pair that others are held against.
var same = pair{"go", "go"}

func parsePair(text string) (p pair, err error) {
	words := strings.Split(text, ",")
	known := strings.Join(languages[:], ",") + ","
	if len(words) != 2 || !strings.Contains(known, words[0]+",") || !strings.Contains(known, words[1]+",") {
		return p, fmt.Errorf("%q is no pair of languages", text)
	}
	return pair(words), nil
}

func parsePairs(text string) (pairs []pair, err error) {
	if text == "all" {
		for _, opener := range languages {
			for _, acceptor := range languages {
				if p := (pair{opener, acceptor}); p != same {
					pairs = append(pairs, p)
				}
			}
		}
		return pairs, nil
	}
	for _, one := range strings.Split(text, ";") {
		p, err := parsePair(one)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}
