//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// become lets another program go on in this process, so that signals and the exit code are its own.
func become(program string, args []string) error {
	err := syscall.Exec(program, append([]string{program}, args...), os.Environ())
	return fmt.Errorf("%s: %w", program, err)
}
