// Command fuzzcount runs every fuzz target of the packages it is given and
// fails unless each was executed as often as asked.
//
//	fuzzcount -count 100000 ./runtime/go ./compiler/syntax
//	fuzzcount -time 10m ./runtime/go
//
// A package without fuzz targets is an error too. Go's own -fuzztime=100000x stops at that number,
// or before it if something goes wrong quietly; this program counts by the fuzzer's own report.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func main() {
	count := flag.Int("count", 0, "execute each target at least so often")
	length := flag.Duration("time", 0, "run each target for so long instead")
	flag.Parse()
	if err := run(*count, *length, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "fuzzcount:", err)
		os.Exit(1)
	}
}

// target is one fuzz function.
type target struct{ pkg, name string }

func run(count int, length time.Duration, packages []string) error {
	if (count > 0) == (length > 0) || len(packages) == 0 {
		return fmt.Errorf("usage: fuzzcount -count N|-time DURATION PACKAGES")
	}
	targets, without, err := list(packages)
	if err != nil {
		return err
	}
	if len(without) > 0 {
		return fmt.Errorf("there is no fuzz target in %s", strings.Join(without, " "))
	}
	amount := fmt.Sprintf("%dx", count)
	if length > 0 {
		amount = length.String()
	}
	for _, t := range targets {
		start := time.Now()
		executed, err := fuzz(t, amount)
		if err != nil {
			return err
		}
		fmt.Printf("%9d executions  %4.0f s  %s %s\n", executed, time.Since(start).Seconds(), t.pkg, t.name)
		if executed < max(count, 1) {
			return fmt.Errorf("%s %s was executed %d times, and not %d", t.pkg, t.name, executed, count)
		}
	}
	return nil
}

// list finds the fuzz targets of packages, and the packages without any.
func list(packages []string) (targets []target, excluded []string, err error) {
	command := exec.Command("go", append([]string{"test", "-list", "^Fuzz"}, packages...)...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go test -list: %w\n%s", err, out)
	}
	targets, excluded = targetsOf(string(out))
	return targets, excluded, nil
}

// targetsOf reads what `go test -list` prints: the names of each package, then
// a line with the package, which starts with "ok", or "?" if it has no tests.
func targetsOf(listing string) (targets []target, excluded []string) {
	var names []string
	for _, line := range strings.Split(listing, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 1 && strings.HasPrefix(words[0], "Fuzz"):
			names = append(names, words[0])
		case len(words) > 1 && (words[0] == "ok" || words[0] == "?"):
			if len(names) == 0 {
				excluded = append(excluded, words[1])
			}
			for _, name := range names {
				targets = append(targets, target{pkg: words[1], name: name})
			}
			names = nil
		}
	}
	return targets, excluded
}

// executions is how the fuzzer tells its progress.
var executions = regexp.MustCompile(`^fuzz: elapsed: .*\bexecs: (\d+) `)

// fuzz runs one target and returns the last count that the fuzzer printed. Its output is shown only
// if it fails.
func fuzz(t target, amount string) (int, error) {
	command := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", amount, "-fuzzminimizetime", "1x", t.pkg)
	command.Stderr = os.Stderr
	pipe, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := command.Start(); err != nil {
		return 0, err
	}
	var output strings.Builder
	executed := 0
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		output.WriteString(lines.Text() + "\n")
		if match := executions.FindStringSubmatch(lines.Text()); match != nil {
			if executed, err = strconv.Atoi(match[1]); err != nil {
				return 0, err
			}
		}
	}
	if err := command.Wait(); err != nil {
		return 0, fmt.Errorf("%s %s: %w\n%s", t.pkg, t.name, err, &output)
	}
	return executed, lines.Err()
}
