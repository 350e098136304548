//go:build !unix

package plugin

import "os/exec"

// ownGroup does nothing: there are no process groups here.
func ownGroup(*exec.Cmd) {}

// endGroup ends the program alone.
func endGroup(command *exec.Cmd) { _ = command.Process.Kill() }
