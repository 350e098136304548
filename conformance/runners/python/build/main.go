// Command build makes a Python runner for schemas: it generates their code, and lays the runner beside it.
//
//	go run ./conformance/runners/python/build [-out DIR] [-tests] SCHEMA...
//
// The runner is DIR/runner, which has both engines of the runtime, and finds the code by the names of its folders. It names a type SCHEMA.TYPE, SCHEMA being the
// file's name without ".sdp".
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

func main() {
	tests := flag.Bool("tests", false, "generate tests, too, in a folder of their own with the runtime that is laid")
	building.Main("python", func(r building.Runner) error { return build(r, *tests) })
}

func build(r building.Runner, tests bool) error {
	if err := building.Write(filepath.Join(r.Out, "schemas", "__init__.py"), ""); err != nil {
		return err
	}
	for _, file := range r.Schemas {
		// Each has a folder of its own, since two releases of a package have the same name.
		folder := filepath.Join(r.Out, "schemas", strings.TrimSuffix(filepath.Base(file), ".sdp"))
		if _, err := r.Generate(file, "python", ".py", folder, "--python-runtime", "sdp", "--services"); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if tests {
			folder = filepath.Join(r.Out, "tested", filepath.Base(folder))
			if err := building.Run("", r.SDP, "gen", file, "--tests", "--out", "python="+folder); err != nil {
				return err
			}
		}
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	own := filepath.Join(root, "conformance", "runners", "python", "runner", "main.py")
	if _, err := os.Stat(own); err != nil {
		return errors.Join(err, errors.New("run it from the root of the repository"))
	}
	if err := native(root, filepath.Join(r.Out, "native")); err != nil {
		return err
	}
	script := fmt.Sprintf("#!/bin/sh\nhere=$(dirname \"$0\")\nSDP_ENGINE=native PYTHONPATH=%q:\"$here\":\"$here/native\" exec python3 %q\n", filepath.Join(root, "runtime", "python"), own)
	return os.WriteFile(filepath.Join(r.Out, "runner"), []byte(script), 0o777)
}

// native builds the native engine for the interpreter that runs the tests, with its debug assertions, and lays it in a folder.
func native(root, folder string) error {
	// Cargo builds again for another interpreter, if that has another path: "python3" names one after the other.
	path, err := exec.Command("python3", "-c", "import os, sys; print(os.path.realpath(sys.executable))").Output()
	if err != nil {
		return err
	}
	target := filepath.Join(root, "target", "python-native")
	command := exec.Command("cargo", "build", "--quiet", "--locked", "--manifest-path", filepath.Join("runtime", "python", "native", "Cargo.toml"), "--target-dir", target)
	command.Dir, command.Env = root, append(os.Environ(), "PYO3_PYTHON="+strings.TrimSpace(string(path)))
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the native engine: %w\n%s", err, output)
	}
	return building.Copy(filepath.Join(target, "debug", "libserial_data_protocol_native.so"), filepath.Join(folder, "serial_data_protocol_native.so"))
}
