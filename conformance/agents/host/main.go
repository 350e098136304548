// Command host serves the desk of examples/services, and lets the official SDK of the Model
// Context Protocol in JavaScript call each of its methods as a tool of sdp-mcp.
//
// Packages of package.json are installed in the folder above before.
package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "host:", err)
		os.Exit(1)
	}
}

func run() error {
	folder, err := os.MkdirTemp("", "agents")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	desk, bridge := filepath.Join(folder, "desk"), filepath.Join(folder, "sdp-mcp")
	if err := does(exec.Command("go", "build", "-o", desk, "./examples/services")); err != nil {
		return err
	}
	if err := does(exec.Command("go", "build", "-C", "mcp", "-o", bridge, "./cmd/sdp-mcp")); err != nil {
		return err
	}
	socket := filepath.Join(folder, "s.sock")
	serving := exec.Command(desk, "serve", "mxp+unix://"+socket)
	if err := serving.Start(); err != nil {
		return err
	}
	defer func() { _ = serving.Process.Kill(); _ = serving.Wait() }()
	if err := listens(socket); err != nil {
		return err
	}
	return does(exec.Command("node", "conformance/agents/client.mjs", bridge, "mxp+unix://"+socket, "examples/services/mixer.sdp"))
}

func does(command *exec.Cmd) error {
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	return command.Run()
}

// listens waits until somebody does.
func listens(socket string) error {
	for range 1000 {
		if conn, err := net.Dial("unix", socket); err == nil {
			return conn.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("the desk does not listen")
}
