package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// output runs a program in a folder, and returns what it prints.
func output(ctx context.Context, folder string, command ...string) (string, error) {
	return outputWith(ctx, folder, nil, command...)
}

// outputWith does so with further variables, the last of a name being what it gets.
func outputWith(ctx context.Context, folder string, env []string, command ...string) (string, error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	var out, problems bytes.Buffer
	c.Dir, c.Env, c.Stdout, c.Stderr = folder, append(os.Environ(), env...), &out, &problems
	if err := c.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s%s", strings.Join(command, " "), err, out.String(), problems.String())
	}
	return out.String(), nil
}
