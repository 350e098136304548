// Command realtime proves that operations of codecs are fit for a real-time thread, in C++ and
// Rust, layer by layer; README.md says what each looks at.
//
//	go run ./conformance/realtime [-gate] [LAYER|latency...]
//	go run ./conformance/realtime [-seconds N] audio
//
// It runs from the root of the repository. Each layer also has to find what is wrong with operations that
// do what such a thread must not do. With -gate it does as much as every change has to pass; without, it also
// installs what it needs, does more of everything, measures how long operations take, and lets the example of a
// host and a plug-in count its deadlines.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// options are what the command line says.
type options struct {
	// isGate says that little time may be taken.
	isGate bool
	// count is how often the operations of a language run, all together.
	count int
	// levels is at how many fill levels their instructions are counted.
	levels int
	// latency is how many runs of all operations together are timed.
	latency int
	// seconds is how long the example of audio plays.
	seconds int
}

// layer is one way to look at operations.
type layer struct {
	name string
	// look looks at all operations and faults of a language, or says that it is absent.
	look func(*language, options) (*findings, error)
	// finds are the faults that it has to find, by the language's name.
	finds map[string][]string
	// isGate says whether every change has to pass it.
	isGate bool
	// leavesMemory says that it can't look at operations that may take memory, be it an arena's.
	leavesMemory bool
}

// findings are what a layer says of operations and faults.
type findings struct {
	// wrong has what was found, by the name of the operation or fault.
	wrong map[string]string
	// seen are the names of all that was looked at.
	seen []string
	// about says in a line what the operations have shown.
	about string
	// details are further lines.
	details []string
}

// absent is the reason why a layer can't look on this machine.
type absent struct{ reason string }

func (a absent) Error() string { return a.reason }

func main() {
	var o options
	flag.BoolVar(&o.isGate, "gate", false, "do what every change has to pass")
	flag.IntVar(&o.count, "count", 0, "how often operations run in the layers that count (default 10,000,000, with -gate a tenth)")
	flag.IntVar(&o.levels, "levels", 0, "at how many fill levels instructions are counted (default 64, with -gate 4)")
	flag.IntVar(&o.latency, "latency", 0, "how many runs are timed, of all operations together (default 100,000,000, with -gate a hundredth)")
	flag.IntVar(&o.seconds, "seconds", 60, "how long the example of audio plays, with and without load")
	flag.Parse()
	usual := options{count: 10_000_000, levels: 64, latency: 100_000_000}
	if o.isGate {
		usual = options{count: 1_000_000, levels: 4, latency: 1_000_000}
	}
	o.count, o.levels, o.latency = cmp.Or(o.count, usual.count), cmp.Or(o.levels, usual.levels), cmp.Or(o.latency, usual.latency)
	if err := prove(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "realtime:", err)
		os.Exit(1)
	}
}

// prove runs the chosen layers in both languages. They read the code of x86-64, and ask Linux.
func prove(o options, names []string) error {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		fmt.Println("no layer could run: they are for Linux on x86-64")
		return nil
	}
	if slices.Equal(names, []string{"audio"}) {
		return audio(o)
	}
	chosen, err := choose(o, names)
	if err != nil {
		return err
	}
	isTimed := len(names) == 0 || slices.Contains(names, "latency")
	var failed error
	for _, l := range languages {
		if err := l.build(); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		for _, layer := range chosen {
			failed = errors.Join(failed, layer.report(l, o))
		}
		if isTimed {
			failed = errors.Join(failed, latency(l, o))
		}
	}
	if failed == nil && isTimed && !o.isGate {
		failed = stampLatency()
	}
	if failed == nil && len(names) == 0 && !o.isGate {
		failed = audio(o)
	}
	return failed
}

// choose finds layers by their names; none are all.
func choose(o options, names []string) (chosen []layer, err error) {
	for _, l := range layers() {
		if slices.Contains(names, l.name) || len(names) == 0 && (l.isGate || !o.isGate) {
			chosen = append(chosen, l)
		}
	}
	for _, name := range names {
		if name != "latency" && !slices.ContainsFunc(chosen, func(l layer) bool { return l.name == name }) {
			return nil, fmt.Errorf("there is no layer %s", name)
		}
	}
	return chosen, nil
}

// report prints what a layer finds, and fails where that is not as it has to be. A gate's layers are always there.
func (l layer) report(of *language, o options) error {
	finds, isThere := l.finds[of.name]
	if !isThere {
		if !o.isGate {
			fmt.Printf("%-5s %-11s could not run: the compilers of the language have no such check\n", of.name, l.name)
		}
		return nil
	}
	found, err := l.look(of, o)
	var missing absent
	if errors.As(err, &missing) && !o.isGate {
		fmt.Printf("%-5s %-11s could not run: %s\n", of.name, l.name, missing.reason)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %s: %w", of.name, l.name, err)
	}
	fmt.Printf("%-5s %-11s %d operations: %s; found %s\n", of.name, l.name, len(found.seen)-len(faults), found.about, strings.Join(finds, ", "))
	if !o.isGate {
		for _, line := range found.details {
			fmt.Println("      " + line)
		}
	}
	return l.judge(of, found)
}

// judge holds what was found against what there is.
func (l layer) judge(of *language, found *findings) (wrong error) {
	fail := func(about string, what ...any) {
		wrong = errors.Join(wrong, fmt.Errorf("%s: %s: "+about, slices.Concat([]any{of.name, l.name}, what)...))
	}
	for _, o := range of.operations {
		if l.leavesMemory && (o.takesArena || o.grows) {
			continue
		}
		if !slices.Contains(found.seen, o.name) {
			fail("nobody has looked at %s", o.name)
		} else if what := found.wrong[o.name]; what != "" {
			fail("%s: %s", o.name, what)
		}
	}
	for _, fault := range l.finds[of.name] {
		if found.wrong[fault] == "" {
			fail("the fault %q was not found", fault)
		}
	}
	return wrong
}
