package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// ofThis lets a process end with this one.
func ofThis() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// command is a process of this one's, in the network namespace of a machine where it has one.
func command(inside bool, machine int, words ...string) *exec.Cmd {
	if inside {
		words = append([]string{"ip", "netns", "exec", namespace(machine)}, words...)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.SysProcAttr = ofThis()
	return cmd
}

func namespace(machine int) string { return fmt.Sprint("machine-", machine+1) }

// host is the address of a machine.
func host(inside bool, machine int) string {
	if inside {
		return fmt.Sprint("198.18.7.", machine+1)
	}
	return fmt.Sprint("127.0.7.", machine+1)
}

// wire makes the machines: namespaces on a bridge. This process has namespaces of its own.
func wire() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	for _, one := range []struct{ source, target, kind string }{{"proc", "/proc", "proc"}, {"tmpfs", "/run", "tmpfs"}} {
		if err := syscall.Mount(one.source, one.target, one.kind, 0, ""); err != nil {
			return fmt.Errorf("mounting %s: %w", one.target, err)
		}
	}
	lines := []string{"link add bridge type bridge", "link set bridge up", "link set lo up"}
	for m := range nodes {
		name := namespace(m)
		lines = append(lines, "netns add "+name, "-n "+name+" link set lo up",
			fmt.Sprintf("link add %s type veth peer name eth0 netns %s", link(m), name),
			fmt.Sprintf("-n %s addr add %s/24 dev eth0", name, host(true, m)), "-n "+name+" link set eth0 up",
			fmt.Sprintf("link set %s master bridge up", link(m)))
	}
	for _, line := range lines {
		if err := ip(line); err != nil {
			return err
		}
	}
	return nil
}

func link(machine int) string { return fmt.Sprint("link-", machine+1) }

func ip(line string) error {
	if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", line, err, out)
	}
	return nil
}

// certify makes the certificates of nodes.
func (m *mesh) certify(ctx context.Context) error {
	authority := filepath.Join(m.folder, "ca")
	run := func(words ...string) error {
		cmd := exec.CommandContext(ctx, m.program(), append([]string{"ca"}, words...)...)
		cmd.Stderr = os.Stderr
		return cmd.Run()
	}
	if err := run("init", "--authority", authority); err != nil {
		return err
	}
	for i := range nodes {
		if err := run("issue", "--authority", authority, "--out", authority, "--for-node", "--host", host(m.inside, i), nodeName(i)); err != nil {
			return err
		}
	}
	return nil
}
