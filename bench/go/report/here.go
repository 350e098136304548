package report

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// Here is an empty file of results with the place, time and tools of the measurement.
func Here(root string) (Results, error) {
	commit, err := git(root, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return Results{}, err
	}
	// Results are not part of the measured code, and are about to change.
	changed, err := git(root, "status", "--porcelain", "--", ".", ":!bench/results", ":!README.md", ":!docs")
	if err != nil {
		return Results{}, err
	}
	if changed != "" {
		commit += "+changes"
	}
	return Results{
		Language: "go", Date: time.Now().UTC().Format(time.DateOnly), Commit: commit,
		Command: "make bench", Machine: machine(),
	}, nil
}

func git(root string, args ...string) (string, error) {
	command := exec.Command("git", append([]string{"-C", root}, args...)...)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}

// machine describes this one. Facts that a system does not tell in Linux's way stay "unknown" or 0.
func machine() Machine {
	m := Machine{
		CPU: "unknown", Cores: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH, Compiler: runtime.Version(),
	}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if _, err := fmt.Sscan(string(text), &m.Load); err != nil {
			m.Load = 0
		}
	}
	return m
}

// Version is the version of a module that this program was built with: the repository's own for SDP, Go's for
// the standard library.
func Version(root, module string) (string, error) {
	if module == "" {
		return runtime.Version(), nil
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", fmt.Errorf("this program was built without module information")
	}
	for _, d := range info.Deps {
		if d.Path != module {
			continue
		}
		if d.Replace == nil {
			return d.Version, nil
		}
		version, err := os.ReadFile(filepath.Join(root, "VERSION"))
		return strings.TrimSpace(string(version)), err
	}
	return "", fmt.Errorf("this program was built without %s", module)
}
