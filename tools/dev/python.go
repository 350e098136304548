package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// pythonRequirements are the packages that Python is checked and tested with, in their versions.
const pythonRequirements = "runtime/python/requirements.txt"

// pythonFolder is an environment of Python's with these packages.
const pythonFolder = "target/python"

// inPython is a program of the environment.
func inPython(name string) string { return pythonFolder + "/bin/" + name }

// installPython makes the environment, unless it has the packages already.
func installPython(ctx context.Context) error {
	wanted, err := os.ReadFile(pythonRequirements)
	if err != nil {
		return err
	}
	mark := filepath.Join(pythonFolder, ".installed.txt")
	if there, err := os.ReadFile(mark); err == nil && bytes.Equal(there, wanted) {
		return nil
	}
	for _, command := range [][]string{
		{"python3", "-m", "venv", "--clear", pythonFolder},
		{inPython("python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--requirement", pythonRequirements},
	} {
		if output, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", command, err, output)
		}
	}
	return os.WriteFile(mark, wanted, 0o666)
}

// pythonRunner makes the runner in Python. It checks the types and the style of the runtime and of generated code, and tests both.
func pythonRunner(build step) *part {
	const own = "conformance/runners/python"
	const style = " --quiet --config runtime/python/pyproject.toml runtime/python/sdp " + own + "/runner " + own + "/tests"
	return &part{name: "runner in Python", budget: seconds(16), python: true, steps: []step{
		build,
		quietly(inPython("ruff") + " check" + style), quietly(inPython("ruff") + " format --check" + style),
		quietly(inPython("mypy") + " --strict --explicit-package-bases --cache-dir target/python/mypy runtime/python/sdp " + own + "/out/schemas").with("MYPYPATH=runtime/python:" + own + "/out"),
		quietly(inPython("python") + " -m pytest -q -p no:cacheprovider " + own + "/tests " + own + "/out/tested"),
	}}
}
