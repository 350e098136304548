// Command sockets lets the servers and clients of MXP's libraries talk over a network
// with a clock of its own: one that is slow, whose buffers are full, whose peers stop reading,
// fall silent, are cut off, and are restarted under load.
//
//	go run ./sockets                                     all scenarios, in all languages
//	go run ./sockets -scenario restart -pair go,rust     prints one
//	go run ./sockets -from 1 -count 1000                 and runs whose load and network are random
//
// What becomes of each request is held against what the specification promises. What a
// language is known to fail is listed in known_failures.txt.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := simulate(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sockets:", err)
		os.Exit(1)
	}
}

// languages have a runner each.
var languages = []string{"go", "rust", "cpp"}

func simulate(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("sockets", flag.ContinueOnError)
	root := flags.String("root", "../..", "the repository")
	only := flags.String("scenario", "", "only those whose name has this; with -pair, print what happens")
	between := flags.String("pair", "", "the languages of client and server, or the one of a scenario that has one: go,rust or go")
	known := flags.String("known", "sockets/known_failures.txt", "what is known to fail; empty: nothing")
	from := flags.Uint64("from", 1, "the first seed of the runs that are random")
	count := flags.Uint64("count", 4, "how many seeds; each is run with one pair of languages")
	asked := flags.String("languages", "go", "the languages")
	slow := flags.Bool("slow", false, "print which take longest")
	if err := flags.Parse(args); err != nil {
		return err
	}
	programs := map[string]string{}
	for language, program := range map[string]string{
		"go":   "conformance/runners/mxp/go/out/runner network",
		"rust": "conformance/runners/mxp/kernel/out/kernel target/frames/debug/network",
		"cpp":  "conformance/runners/mxp/kernel/out/kernel conformance/runners/mxp/cpp/out/network",
	} {
		var words []string
		for _, word := range strings.Fields(program) {
			if strings.Contains(word, "/") {
				word = filepath.Join(*root, word)
			}
			words = append(words, word)
		}
		programs[language] = strings.Join(words, " ")
	}
	all := plan(strings.Split(*asked, ","), *only, *between, *from, *count)
	if len(all) == 0 {
		return fmt.Errorf("no scenario is called so: %s", *only)
	}
	if *only != "" && *between != "" {
		for _, one := range all {
			one.run(programs, out)
			fmt.Fprintln(out, one)
		}
		return nil
	}
	listed, err := readKnown(*known)
	if err != nil {
		return err
	}
	return many(programs, all, listed, *slow, out)
}
