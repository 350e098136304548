package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
)

// counterpart is a program in another language that reads a registry from one
// file and writes it to another.
type counterpart struct {
	language string
	// command runs it, the files' names missing.
	command []string
	// missing says what this machine lacks to build it; then there is no command.
	missing string
}

// counterparts builds what can be built here, into a folder.
func counterparts(dir string) ([]counterpart, error) {
	var all []counterpart
	for _, build := range []func(string) (counterpart, error){rustCounterpart, cppCounterpart, pythonCounterpart} {
		other, err := build(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, other)
	}
	return all, nil
}

// through hands the registry to programs in other languages, in both modes, and
// compares the bytes that come back.
func through(others []counterpart, out io.Writer, registry *plugins.PluginRegistry) error {
	dir, err := os.MkdirTemp("", "sdp-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, other := range others {
		fmt.Fprintln(out)
		if other.missing != "" {
			fmt.Fprintf(out, "%s: skipped, %s\n", other.language, other.missing)
			continue
		}
		if err := other.exchange(out, dir, registry); err != nil {
			return err
		}
	}
	return nil
}

// exchange sends the registry there and back, in both modes.
func (c counterpart) exchange(out io.Writer, dir string, registry *plugins.PluginRegistry) error {
	for _, mode := range []struct {
		name   string
		encode func(*plugins.PluginRegistry) ([]byte, error)
	}{
		{"message mode", plugins.EncodePluginRegistryMessage},
		{"byte mode", plugins.EncodePluginRegistry},
	} {
		written, err := mode.encode(registry)
		if err != nil {
			return err
		}
		said, err := c.rewrite(dir, written)
		if err != nil {
			return fmt.Errorf("%s through %s: %w", mode.name, c.language, err)
		}
		fmt.Fprintf(out, "  %-40s the same bytes\n", mode.name+": Go → "+c.language+" → Go")
		if said != "" {
			fmt.Fprintf(out, "  %s, µs: %s", c.language, said)
		}
	}
	return nil
}

// rewrite has the program read bytes and write them anew, and returns what it
// prints.
func (c counterpart) rewrite(dir string, written []byte) (string, error) {
	from, to := filepath.Join(dir, "there"), filepath.Join(dir, "back")
	if err := os.WriteFile(from, written, 0o600); err != nil {
		return "", err
	}
	// Files of another program are not to be taken for this one's.
	if err := os.RemoveAll(to); err != nil {
		return "", err
	}
	command := exec.Command(c.command[0], append(c.command[1:], from, to)...)
	command.Stderr = os.Stderr
	said, err := command.Output()
	if err != nil {
		return "", err
	}
	back, err := os.ReadFile(to)
	if err != nil {
		return "", err
	}
	if !bytes.Equal(written, back) {
		return "", errors.New("what comes back differs")
	}
	return string(said), nil
}

// rustCounterpart is run by cargo, which builds it where it keeps all crates.
func rustCounterpart(string) (counterpart, error) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return counterpart{language: "Rust", missing: "cargo is missing (https://rustup.rs)"}, nil
	}
	manifest, err := inRepository("examples/registry/rust/Cargo.toml")
	if err != nil {
		return counterpart{}, err
	}
	return counterpart{language: "Rust", command: []string{cargo, "run", "--quiet", "--release", "--manifest-path", manifest, "--"}}, nil
}

// cppCounterpart is one call of the compiler: the runtime is headers.
func cppCounterpart(dir string) (counterpart, error) {
	compiler, found := cppCompiler()
	if !found {
		return counterpart{language: "C++", missing: "a compiler is missing (c++, g++ or clang++; CXX names another)"}, nil
	}
	source, err := inRepository("examples/registry/cpp/main.cpp")
	if err != nil {
		return counterpart{}, err
	}
	include, err := inRepository("runtime/cpp/include")
	if err != nil {
		return counterpart{}, err
	}
	program := filepath.Join(dir, "registry_example")
	command := exec.Command(compiler, "-std=c++17", "-O3", "-I", include, source, "-o", program)
	if said, err := command.CombinedOutput(); err != nil {
		return counterpart{}, fmt.Errorf("%s: %w\n%s", compiler, err, said)
	}
	return counterpart{language: "C++", command: []string{program}}, nil
}

// pythonCounterpart generates its own code, and the runtime is pure Python.
func pythonCounterpart(string) (counterpart, error) {
	python, err := exec.LookPath("python3")
	if err != nil {
		return counterpart{language: "Python", missing: "python3 is missing (https://python.org)"}, nil
	}
	if exec.Command(python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))").Run() != nil {
		return counterpart{language: "Python", missing: "python3 is older than 3.11"}, nil
	}
	program, err := inRepository("examples/registry/python/main.py")
	if err != nil {
		return counterpart{}, err
	}
	return counterpart{language: "Python", command: []string{python, program}}, nil
}

func cppCompiler() (string, bool) {
	names := []string{"c++", "g++", "clang++"}
	if named := os.Getenv("CXX"); named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	return "", false
}

// inRepository finds a file from where the demo and its tests run.
func inRepository(path string) (string, error) {
	for _, root := range []string{"../..", "../../../.."} {
		at := filepath.Join(root, filepath.FromSlash(path))
		if _, err := os.Stat(at); err == nil {
			return filepath.Abs(at)
		}
	}
	return "", fmt.Errorf("%s is missing; run the demo by `make demo`", path)
}
