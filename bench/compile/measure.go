package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// code is one codec's code of a schema.
type code struct {
	codec  string
	lines  int
	builds []build
	// object and program count bytes when everything was built; nil where there is nothing to count.
	object, program func() (int, error)
	samples         map[string][]sample // by the name of the build
}

// build is a command that is measured.
type build struct {
	name string
	// fresh makes the command build anew what it has built before.
	fresh func() error
	in    string
	args  []string
	// once says that one time is enough: nobody waits for it again.
	once bool
}

// sample is the cost of one build: processor time of all its processes, and the memory of the largest.
type sample struct{ seconds, megabytes float64 }

// turns measures all builds of several codecs, builds of one name one after the other, every second round backwards.
// A round that would end after the limit is not begun.
func turns(codes []*code, rounds int, limit time.Duration) error {
	for _, c := range codes {
		c.samples = map[string][]sample{}
	}
	start := time.Now()
	for round := range rounds {
		began := time.Now()
		for _, name := range buildNames(codes) {
			for i := range codes {
				if round%2 == 1 {
					i = len(codes) - 1 - i
				}
				if err := codes[i].take(name, round); err != nil {
					return err
				}
			}
		}
		if time.Since(start)+time.Since(began) > limit {
			break
		}
	}
	return nil
}

// buildNames are the names of all builds, in the order in which they first come.
func buildNames(codes []*code) []string {
	var names []string
	for _, c := range codes {
		for _, b := range c.builds {
			names = appendNew(names, b.name)
		}
	}
	return names
}

// take measures a build once more, if the codec has it.
func (c *code) take(name string, round int) error {
	for _, b := range c.builds {
		if b.name != name || b.once && round > 0 {
			continue
		}
		s, err := b.run()
		if err != nil {
			return fmt.Errorf("%s, %s: %w", c.codec, name, err)
		}
		c.samples[name] = append(c.samples[name], s)
	}
	return nil
}

func (b build) run() (sample, error) {
	if b.fresh != nil {
		if err := b.fresh(); err != nil {
			return sample{}, err
		}
	}
	command := prepared(b.in, b.args)
	output, err := command.CombinedOutput()
	if err != nil {
		return sample{}, fmt.Errorf("%s: %w\n%s", strings.Join(b.args, " "), err, ending(output))
	}
	state := command.ProcessState
	used := state.SysUsage().(*syscall.Rusage)
	unit := 1024.0
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return sample{(state.UserTime() + state.SystemTime()).Seconds(), float64(used.Maxrss) * unit / 1e6}, nil
}

// ending is the last part of a command's output.
func ending(output []byte) []byte { return output[max(0, len(output)-4000):] }

// prepared is a command in a folder, with a clean environment: no workspace of Go's, and no state of earlier builds.
func prepared(folder string, args []string) *exec.Cmd {
	command := exec.Command(args[0], args[1:]...)
	command.Dir = folder
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "CARGO_INCREMENTAL=0", "RUSTFLAGS=", "CARGO_PROFILE_DEV_DEBUG=full")
	return command
}

// output runs a command and returns what it prints.
func output(folder string, args ...string) (string, error) {
	command := prepared(folder, args)
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(args, " "), err, ending(out), ending(problems.Bytes()))
	}
	return string(out), nil
}

// command runs a command that prints nothing of interest.
func command(folder string, args ...string) error {
	_, err := output(folder, args...)
	return err
}
