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

// rustCrate is the program that reads and writes registries in Rust.
const rustCrate = "../../../../examples/registry/rust"

// throughRust hands the registry to a Rust program, in both modes, and compares
// the bytes that come back.
func throughRust(out io.Writer, registry *plugins.PluginRegistry) error {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		fmt.Fprintln(out, "\nRust: skipped, cargo is missing (https://rustup.rs)")
		return nil
	}
	manifest, err := rustManifest()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sdp-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(out)
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
		said, err := rewritten(cargo, manifest, dir, written)
		if err != nil {
			return fmt.Errorf("%s through Rust: %w", mode.name, err)
		}
		fmt.Fprintf(out, "  %-40s the same bytes\n", mode.name+": Go → Rust → Go")
		if said != "" {
			fmt.Fprintf(out, "  Rust, µs: %s", said)
		}
	}
	return nil
}

// rewritten has the Rust program read bytes and write them anew, and returns what
// it prints.
func rewritten(cargo, manifest, dir string, written []byte) (string, error) {
	from, to := filepath.Join(dir, "from-go"), filepath.Join(dir, "from-rust")
	if err := os.WriteFile(from, written, 0o600); err != nil {
		return "", err
	}
	command := exec.Command(cargo, "run", "--quiet", "--release", "--manifest-path", manifest, "--", from, to)
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

// rustManifest finds the crate from where the demo and its tests run.
func rustManifest() (string, error) {
	for _, dir := range []string{"../../examples/registry/rust", rustCrate} {
		manifest := filepath.Join(dir, "Cargo.toml")
		if _, err := os.Stat(manifest); err == nil {
			return filepath.Abs(manifest)
		}
	}
	return "", errors.New("examples/registry/rust is missing; run the demo by `make demo`")
}
