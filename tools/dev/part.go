package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// part is one piece of the checks. It is passed when each of its steps has ended well.
type part struct {
	name string
	// budget is the processor time that it may take where nothing is cached, of all
	// its processes together: wall time would depend on what runs beside it.
	budget time.Duration
	// after are the parts that make what this one uses.
	after []string
	// folder is a build folder that no other part may use meanwhile.
	folder string
	// needs are packages of Debian's, beside what every part needs.
	needs []requirement
	// packages is a folder whose lock file names packages of npm's, beside TypeScript's own.
	packages string
	// python says that it needs the packages of pythonRequirements.
	python bool
	steps  []step
}

// step is a program that is run for a part. Its output is shown where the step says
// so, and where it fails.
type step struct {
	in      string   // the folder that it runs in, below the root
	env     []string // what it has beside this program's environment
	command []string
	quiet   bool
	// check looks at the output of a command that ended well.
	check func(output []byte) error
}

// run is a step whose output is shown.
func run(command ...string) step { return step{command: split(command)} }

// quietly is a step whose output says nothing as long as it ends well.
func quietly(command ...string) step { return step{command: split(command), quiet: true} }

// within says where a step runs.
func (s step) within(folder string) step { s.in = folder; return s }

// with adds variables to a step's environment.
func (s step) with(env ...string) step {
	s.env = append(append([]string(nil), s.env...), env...)
	return s
}

// checked is a step that prints nothing but errors.
func (s step) checked(check func([]byte) error) step { s.check, s.quiet = check, true; return s }

// split takes words apart at spaces where they are given as one text.
func split(command []string) []string {
	if len(command) == 1 {
		return strings.Fields(command[0])
	}
	return command
}

// printsNothing fails where a command, which ends well all the same, names files.
func printsNothing(output []byte) error {
	if len(bytes.TrimSpace(output)) > 0 {
		return errors.New("these are not as they should be")
	}
	return nil
}

// outcome is how a part ended.
type outcome struct {
	part    *part
	wall    time.Duration
	cpu     time.Duration
	output  bytes.Buffer
	failure error
}

// run runs the steps of a part one behind another.
func (p *part) run(ctx context.Context, root string) *outcome {
	o := &outcome{part: p}
	start := time.Now()
	for _, s := range p.steps {
		cpu, err := s.run(ctx, root, &o.output)
		o.cpu += cpu
		if err != nil {
			o.failure = fmt.Errorf("%s: %w", strings.Join(s.command, " "), err)
			break
		}
	}
	o.wall = time.Since(start)
	return o
}

// run runs a command, and returns the processor time of it and of all that it waited for.
func (s step) run(ctx context.Context, root string, show io.Writer) (time.Duration, error) {
	var output bytes.Buffer
	command := exec.CommandContext(ctx, s.command[0], s.command[1:]...)
	command.Dir = root
	if s.in != "" {
		command.Dir += "/" + s.in
	}
	command.Env = append(os.Environ(), s.env...)
	command.Stdout, command.Stderr = &output, &output
	// A process group of its own, so that what it started ends with it.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	err := command.Run()
	if err == nil && s.check != nil {
		err = s.check(output.Bytes())
	}
	if err != nil || !s.quiet {
		show.Write(output.Bytes())
	}
	if command.ProcessState == nil {
		return 0, err
	}
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime(), err
}
