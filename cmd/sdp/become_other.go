//go:build !unix

package main

import (
	"errors"
	"os"
	"os/exec"
)

// become runs another program in the place of this one, with its exit code.
func become(program string, args []string) error {
	command := exec.Command(program, args...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := command.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		os.Exit(ended.ExitCode())
	}
	return err
}
