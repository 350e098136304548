// Command simulation lets two sessions of MXP talk over a bad network, each in a
// runner of any language, with a clock of its own. All that is random comes from
// a seed: the same seed gives the same trace.
//
//	go run . -seed N [-pair go,rust]
//	go run . -from 1 -count 300 [-pairs all]
//
// The first prints the trace of one run. The second makes many: with each seed
// one between two sessions in Go, and one between two other runners, whose trace
// must be the same. The behaviour of a session is also held against an oracle that knows none of
// the implementations.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	others := runners{}
	flags.Var(others, "runner", "another program for a language: go=PROGRAM")
	if err := flags.Parse(args); err != nil {
		return err
	}
	languages, programs, err := listed(*root)
	if err != nil {
		return err
	}
	for language, program := range others {
		if programs[language] == "" {
			return fmt.Errorf("there is no language %s", language)
		}
		programs[language] = program
	}
	for language, program := range programs {
		if !filepath.IsAbs(program) {
			programs[language] = filepath.Join(*root, program)
		}
	}
	if *seed > 0 {
		if extra := ofMany(flags); extra != "" {
			return fmt.Errorf("-seed is of one run, and -%s of many, which begin at -from", extra)
		}
		one, err := parsePair(*between, languages)
		if err != nil {
			return err
		}
		return printRun(programs, *seed, one)
	}
	pairs, err := parsePairs(*with, languages)
	if err != nil {
		return err
	}
	return many(programs, *from, *count, pairs)
}

// ofMany is a flag that was given and says something of many runs; empty if none was.
func ofMany(flags *flag.FlagSet) (name string) {
	flags.Visit(func(f *flag.Flag) {
		if f.Name == "from" || f.Name == "count" || f.Name == "pairs" {
			name = f.Name
		}
	})
	return name
}

// runners are the programs that hold sessions, by language.
type runners map[string]string

func (r runners) String() string { return "" }

// Set takes the program of one language from the command line.
func (r runners) Set(text string) error {
	language, program, ok := strings.Cut(text, "=")
	if !ok || program == "" {
		return fmt.Errorf("%q is not LANGUAGE=PROGRAM", text)
	}
	r[language] = program
	return nil
}

// frames is an entry of conformance/runners.toml.
var frames = regexp.MustCompile(`\[\[frames\]\]\nname = "(\w+)"\nprogram = "(.+)"`)

// listed are the languages that the harness asks about frames, in its order, and their
// programs.
func listed(root string) (languages []string, programs runners, err error) {
	list, err := os.ReadFile(filepath.Join(root, "conformance", "runners.toml"))
	if err != nil {
		return nil, nil, err
	}
	programs = runners{}
	for _, found := range frames.FindAllStringSubmatch(string(list), -1) {
		languages = append(languages, found[1])
		programs[found[1]] = found[2]
	}
	if programs[same[0]] == "" {
		return nil, nil, fmt.Errorf("conformance/runners.toml has no frames of %s", same[0])
	}
	return languages, programs, nil
}

// pair has the languages of opener and acceptor.
type pair [2]string

func (p pair) String() string { return p[0] + "," + p[1] }

// same is the pair that others are held against.
var same = pair{"go", "go"}

func parsePair(text string, languages []string) (p pair, err error) {
	words := strings.Split(text, ",")
	if len(words) != 2 || !slices.Contains(languages, words[0]) || !slices.Contains(languages, words[1]) {
		return p, fmt.Errorf("%q is no pair of languages", text)
	}
	return pair(words), nil
}

func parsePairs(text string, languages []string) (pairs []pair, err error) {
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
		p, err := parsePair(one, languages)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}
