package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// engines makes the project of each language's engine: how its runner is made, and the traces
// that it plays. The folder is a copy of the repository, and bugs have their places in it.
var engines = map[string]func(cxx string) *project{
	"go": func(string) *project {
		return &project{test: [][]string{{"go", "build", "-C", "conformance/runners/mxp/go", "-o", "out/runner", "."}, traces("go")}}
	},
	"rust": func(string) *project {
		return &project{
			build: [][]string{kernel},
			test:  [][]string{{"cargo", "build", "--quiet", "-p", "mxp-network", "--target-dir", "target"}, traces("rust")},
		}
	},
	// The library and the program are one translation unit.
	"cpp": func(cxx string) *project {
		compile := append(strings.Fields(cxx), "-O0", "-w", "-DASIO_STANDALONE", "-Imxp/cpp/include", "-Iruntime/cpp/include", "-include", "mxp/net/compiled.hpp",
			"-o", "conformance/runners/mxp/network/out/program", "conformance/runners/mxp/network/program.cpp", "-lxxhash")
		return &project{build: [][]string{kernel}, test: [][]string{compile, traces("cpp")}}
	},
	"typescript": func(string) *project {
		return &project{test: [][]string{{
			"runtime/typescript/node_modules/.bin/tsc", "-p", "conformance/runners/mxp/typescript", "--noUnusedLocals", "false", "--noUnusedParameters", "false",
		}, traces("typescript")}}
	},
}

// kernel makes what plays the system to programs that have no clock of their own.
var kernel = []string{"make", "-s", "-C", "conformance/runners/mxp/network", "out/kernel.so"}

// traces plays the traces to the runner of a language, up to the first that fails.
func traces(name string) []string {
	return []string{"python3", "-m", "conformance.harness", name, "--only", "mxp/engine/", "--first"}
}

// runEngines plants bugs in the engines of languages.
func runEngines(languages []string, only, cxx string) error {
	dir, err := os.MkdirTemp("", "sdp-planted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := copyRepository(dir); err != nil {
		return err
	}
	// The frame that each peer begins with is made by the runner in Go.
	if err := command(dir, buildingMax, engines["go"]("").test[0][0], engines["go"]("").test[0][1:]...); err != nil {
		return err
	}
	var failed error
	for _, name := range languages {
		make, known := engines[name]
		if !known {
			return fmt.Errorf("no language is called %q", name)
		}
		p := make(cxx)
		p.dir, p.missedOf = dir, engineMissedOf
		failed = errors.Join(failed, p.run(name, engineList(name), only, p.prepare))
	}
	return failed
}

// engineList is where the bugs of an engine are listed.
func engineList(name string) string { return filepath.Join("engine", name+".toml") }

// copyRepository copies the files that git has, or would have, into a folder.
func copyRepository(dir string) error {
	listed, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w (run it from the root of the repository)", err)
	}
	for path := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, os.ErrNotExist): // it was deleted, and git was not told
			continue
		case err != nil:
			return err
		}
		to := filepath.Join(dir, path)
		if err := building.Copy(path, to); err != nil {
			return err
		}
		if err := os.Chmod(to, info.Mode().Perm()); err != nil {
			return err
		}
	}
	packages := filepath.Join("runtime", "typescript", "node_modules")
	real, err := filepath.Abs(packages)
	if err != nil {
		return err
	}
	return os.Symlink(real, filepath.Join(dir, packages))
}
