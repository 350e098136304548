//go:build unix

package plugin

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a program a process group of its own, which it and its children end with.
func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup ends the program, and its children.
func endGroup(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
