// Command sockets lets the servers and clients of MXP's libraries talk over a network
// with a clock of its own: one that is slow, whose buffers are full, whose peers stop reading,
// fall silent, are cut off, and are restarted under load.
//
//	go run ./sockets                                     all scenarios, in all languages
//	go run ./sockets -scenario restart -pair go,rust     prints one
//	go run ./sockets -from 1 -count 1000                 and runs whose load and network are random
//	go run ./sockets -seed 7 -pair go,rust               prints one of these
//
// The end of each request is held against what the specification promises. Known failures of
// a language are listed in known_failures.txt.
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

func simulate(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("sockets", flag.ContinueOnError)
	root := flags.String("root", "../..", "the repository")
	var c choice
	flags.StringVar(&c.name, "scenario", "", "only scenarios whose name contains this; with -pair, print the events")
	flags.StringVar(&c.pair, "pair", "", "the languages of client and server, or the language of a scenario with one: go,rust or go")
	flags.BoolVar(&c.all, "all", false, "run all scenarios with all pairs of languages")
	flags.Uint64Var(&c.from, "from", 1, "the first seed of the runs that are random")
	flags.Uint64Var(&c.count, "count", 3, "how many seeds; each is run with one pair of languages")
	seed := flags.Uint64("seed", 0, "with -pair: print what happens in the run of this seed")
	asked := flags.String("languages", "go,rust,cpp", "the languages")
	known := flags.String("known", "sockets/known_failures.txt", "what is known to fail; empty: nothing")
	list := flags.Bool("list", false, "print what fails as the list of known failures has it")
	slow := flags.Bool("slow", false, "print which take longest")
	if err := flags.Parse(args); err != nil {
		return err
	}
	at := func(path string) string { return filepath.Join(*root, path) }
	kernel, err := filepath.Abs(at("conformance/runners/mxp/network/out/kernel.so"))
	if err != nil {
		return err
	}
	programs := map[string]program{
		"go":   {path: at("conformance/runners/mxp/go/out/runner"), args: []string{"network"}},
		"rust": {path: at("target/debug/mxp-network"), kernel: kernel},
		"cpp":  {path: at("conformance/runners/mxp/network/out/program"), kernel: kernel},
	}
	if *seed > 0 {
		c.name, c.from, c.count = fmt.Sprintf("seed_%d", *seed), *seed, 1
	}
	c.languages = strings.Split(*asked, ",")
	prints := c.name != "" && c.pair != ""
	c.all = c.all || prints || *list
	all := c.plan()
	if len(all) == 0 {
		return fmt.Errorf("no scenario is called so, or has such languages: %s %s", c.name, c.pair)
	}
	if prints {
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
	if *list {
		runAll(programs, all)
		listed.write(all, out)
		return nil
	}
	return many(programs, all, listed, *slow, out)
}
