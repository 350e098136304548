package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// known has, by scenario and languages, what is known to fail, and how often.
type known map[string]map[string]string

const (
	always    = "always"
	sometimes = "sometimes" // it depends on what is random in a library
)

// readKnown reads the list of known failures: a line has a scenario and pairs of languages, with a
// question mark behind a pair that fails sometimes.
func readKnown(path string) (known, error) {
	list := known{}
	if path == "" {
		return list, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) == 1 || list[words[0]] != nil {
			return nil, fmt.Errorf("%s: %q names no languages, or a scenario that is listed already", path, line)
		}
		list[words[0]] = map[string]string{}
		for _, word := range words[1:] {
			pair, may := strings.CutSuffix(word, "?")
			list[words[0]][pair] = always
			if may {
				list[words[0]][pair] = sometimes
			}
		}
	}
	return list, nil
}

// write writes the list as it would have to be after some runs: failures, and failures that are
// known to occur sometimes.
func (k known) write(all []*run, out io.Writer) {
	var names []string
	lines := map[string]string{}
	for _, one := range all {
		word := one.pair
		switch k[one.name][one.pair] {
		case sometimes:
			word += "?"
		default:
			if len(one.problems) == 0 {
				continue
			}
		}
		if !slices.Contains(names, one.name) {
			names = append(names, one.name)
		}
		lines[one.name] += " " + word
	}
	for _, name := range names {
		fmt.Fprintln(out, name+lines[name])
	}
}
