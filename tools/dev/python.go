package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
		return linkRuntime()
	}
	for _, command := range [][]string{
		{"python3", "-m", "venv", "--clear", pythonFolder},
		{inPython("python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--requirement", pythonRequirements},
	} {
		if output, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w\n%s", command, err, output)
		}
	}
	if err := os.WriteFile(mark, wanted, 0o666); err != nil {
		return err
	}
	return linkRuntime()
}

// linkRuntime puts the runtime into the environment, under the name that its package has.
func linkRuntime() error {
	runtime, err := filepath.Abs("runtime/python/sdp")
	if err != nil {
		return err
	}
	folders, err := filepath.Glob(pythonFolder + "/lib/python3*/site-packages")
	if err != nil {
		return err
	}
	for _, folder := range folders {
		link := filepath.Join(folder, "serial_data_protocol")
		if there, err := os.Readlink(link); err == nil && there == runtime {
			continue
		}
		if err := os.RemoveAll(link); err != nil {
			return err
		}
		if err := os.Symlink(runtime, link); err != nil {
			return err
		}
	}
	return nil
}

// pythonOwn has the runner in Python, with its tests, and the generated code.
const pythonOwn = "conformance/runners/python"

// pythonBuild makes the runner, with options of its command.
func pythonBuild(options ...string) step {
	return quietly(slices.Concat([]string{"go", "run", "./" + pythonOwn + "/build"}, options, schemas())...)
}

// pythonRunner makes the runner in Python, and tests the runtime and generated code.
func pythonRunner() *part {
	return &part{name: "runner in Python", budget: seconds(14), python: true, steps: []step{
		pythonBuild("-tests"),
		pythonTests("python", pythonOwn+"/tests", pythonOwn+"/out/tested"),
		pythonTests("native", pythonOwn+"/tests"),
	}}
}

// pythonTests runs tests with one of the runtime's engines.
func pythonTests(engine string, folders ...string) step {
	return quietly(append([]string{inPython("python"), "-m", "pytest", "-q", "-p", "no:cacheprovider"}, folders...)...).with("SDP_ENGINE=" + engine)
}

// pythonServices tests clients and servers by the stubs of conformance/services.
func pythonServices() step {
	const made = "conformance/services/out/src/python-new"
	return quietly(inPython("python")+" -m pytest -q -p no:cacheprovider mxp/python/tests").
		with("MXP_LIBRARY=target/debug/libmxp_c.so", "SDP_MESH="+nodeProgram, "PYTHONPATH=mxp/python:"+made)
}

// nodeProgram is a node of a mesh, which tests run.
const nodeProgram = "target/sdp-mesh"

// buildNode builds it.
func buildNode() step {
	return quietly("go build -o ../" + nodeProgram + " ./cmd/sdp-mesh").within("mesh")
}

// pythonLinters checks the types and the style of the runtime, and the types of generated code.
func pythonLinters() *part {
	const style = " --quiet --config runtime/python/pyproject.toml runtime/python/sdp mxp/python conformance/services/python examples/mesh/python examples/panel examples/duckdb " + pythonOwn + "/runner " + pythonOwn + "/pyright " + pythonOwn + "/tests"
	return &part{name: "Python's linters", budget: seconds(10), python: true, steps: []step{
		pythonBuild(),
		quietly(inPython("ruff") + " check" + style), quietly(inPython("ruff") + " format --check" + style),
		quietly(inPython("mypy") + " --strict --explicit-package-bases --cache-dir target/python/mypy runtime/python/sdp mxp/python/mesh_exchange_protocol " + pythonOwn + "/out/schemas").with("MYPYPATH=runtime/python:mxp/python:" + pythonOwn + "/out"),
		quietly("npm ci --no-audit --no-fund").within(pythonOwn + "/pyright"), quietly("npx pyright").within(pythonOwn + "/pyright"),
	}}
}
