package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// workers is how many runs go on at once.
const workers = 2

// failuresShown bounds what is printed.
const failuresShown = 10

// contextLines is how many lines before a difference are shown.
const contextLines = 6

// columnsBefore is how much of a line is shown before it differs.
const columnsBefore = 100

// endShown is how much is shown of each end of a long line.
const endShown = 400

// crew has the runners of one worker: for each language one of each role.
type crew struct {
	programs runners
	started  map[string][2]*process
}

// of gives the runners of a pair.
func (c *crew) of(p pair) (both [2]*process, err error) {
	for role, language := range p {
		if c.started[language][role] == nil {
			made, err := start(c.programs[language])
			if err != nil {
				return both, err
			}
			kept := c.started[language]
			kept[role] = made
			c.started[language] = kept
		}
		both[role] = c.started[language][role]
	}
	return both, nil
}

func (c *crew) stop() (err error) {
	for _, both := range c.started {
		for _, p := range both {
			if p != nil {
				err = errors.Join(err, p.stop())
			}
		}
	}
	return err
}

func newCrew(programs runners) *crew { return &crew{programs, map[string][2]*process{}} }

// printRun prints the trace of one run.
func printRun(programs runners, seed uint64, between pair) error {
	c := newCrew(programs)
	both, err := c.of(between)
	if err != nil {
		return err
	}
	trace, ok := run(seed, both)
	if _, err := os.Stdout.Write(trace); err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("seed %d with %v failed", seed, between)
	}
	return c.stop()
}

// many runs seeds, each with the pair that all are held against and with another.
func many(programs runners, from, count uint64, others []pair) error {
	var next, failed, lines atomic.Uint64
	next.Store(from)
	var printing sync.Mutex
	var group sync.WaitGroup
	var errs [workers]error
	for i := range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			c := newCrew(programs)
			for seed := next.Add(1) - 1; seed < from+count; seed = next.Add(1) - 1 {
				found, n, err := c.compare(seed, others[seed%uint64(len(others))])
				if err != nil {
					errs[i] = err
					return
				}
				lines.Add(uint64(n))
				if found == "" {
					continue
				}
				printing.Lock()
				if failed.Add(1) <= failuresShown {
					fmt.Print(found)
				}
				printing.Unlock()
				c = newCrew(programs) // one that died or hangs is of no use
			}
			errs[i] = c.stop()
		}()
	}
	group.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	fmt.Printf("%d seeds passed, %d failed, %d steps\n", count-failed.Load(), failed.Load(), lines.Load())
	if failed.Load() > 0 || count == 0 {
		return errors.New("the sessions do not agree with each other or with the specification")
	}
	return nil
}

// compare makes the runs of one seed, and gives their fault and the number of their steps.
func (c *crew) compare(seed uint64, other pair) (found string, lines int, err error) {
	var traces [2][]byte
	for i, p := range [2]pair{same, other} {
		both, err := c.of(p)
		if err != nil {
			return "", 0, err
		}
		trace, ok := run(seed, both)
		lines += bytes.Count(trace, []byte{'\n'})
		if !ok && (i == 0 || !bytes.Equal(trace, traces[0])) {
			found += fmt.Sprintf("FAIL seed %d with %v; to repeat: go run . -seed %d -pair %v\n%s", seed, p, seed, p, tail(trace))
		}
		traces[i] = trace
	}
	if found == "" && !bytes.Equal(traces[0], traces[1]) {
		found = fmt.Sprintf("FAIL seed %d: %v and %v differ; to repeat: go run . -seed %d -pair %v\n%s", seed, same, other, seed, other, difference(traces, other))
	}
	return found, lines, nil
}

// tail gives the last lines of a trace.
func tail(trace []byte) string {
	lines := bytes.SplitAfter(trace, []byte{'\n'})
	return indented(lines[max(0, len(lines)-contextLines-2):])
}

// difference gives some lines before the first in which two traces differ, and that from a little before where it does.
func difference(traces [2][]byte, other pair) string {
	a, b := bytes.SplitAfter(traces[0], []byte{'\n'}), bytes.SplitAfter(traces[1], []byte{'\n'})
	at := 0
	for at < min(len(a), len(b))-1 && bytes.Equal(a[at], b[at]) {
		at++
	}
	column := 0
	for column < min(len(a[at]), len(b[at])) && a[at][column] == b[at][column] {
		column++
	}
	first := max(0, column-columnsBefore)
	return fmt.Sprintf("%s  %v, from column %d:\n%s  %v:\n%s", indented(a[max(0, at-contextLines):at+1]), same, first, indented([][]byte{a[at][first:]}), other, indented([][]byte{b[at][first:]}))
}

// indented gives lines for people, who are spared the middle of long ones.
func indented(lines [][]byte) string {
	var text bytes.Buffer
	for _, line := range lines {
		line = bytes.TrimSuffix(line, []byte{'\n'})
		if len(line) > 2*endShown {
			line = slices.Concat(line[:endShown], []byte(" … "), line[len(line)-endShown:])
		}
		if len(line) > 0 {
			fmt.Fprintf(&text, "    %s\n", line)
		}
	}
	return text.String()
}
