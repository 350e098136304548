package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// sanitized is how often an operation runs beside the sanitizer, which makes it slower.
const sanitized = 100_000

// sanitizer runs operations beside RealtimeSanitizer, which stands before the functions of the system's
// library that may wait.
func sanitizer(of *language, _ options) (*findings, error) {
	if err := errors.Join(install(clang, "clang-22"), install("/usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.rtsan-x86_64.a", "libclang-rt-22-dev")); err != nil {
		return nil, absent{err.Error()}
	}
	machine, err := of.sanitized()
	if err != nil {
		return nil, err
	}
	found := &findings{wrong: map[string]string{}, about: fmt.Sprintf("nothing that may wait in %s runs", thousands(sanitized*len(of.operations)))}
	for _, name := range append(of.names(), faults...) {
		count := sanitized
		if slices.Contains(faults, name) {
			count = 100
		}
		found.seen = append(found.seen, name)
		if found.wrong[name], err = complaint(exec.Command(machine, "run", strconv.Itoa(count), name)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return found, nil
}

var unsafeCall = regexp.MustCompile(`ERROR: RealtimeSanitizer: (.*)\n(.*)`)

// complaint is the sanitizer's, if it has one.
func complaint(run *exec.Cmd) (string, error) {
	output, err := run.CombinedOutput()
	if err == nil {
		return "", nil
	}
	if m := unsafeCall.FindStringSubmatch(string(output)); m != nil {
		return strings.TrimSpace(m[1] + ": " + m[2]), nil
	}
	return "", fmt.Errorf("%w\n%s", err, output)
}

// sanitized makes the machine of a language with the sanitizer.
func (of *language) sanitized() (string, error) {
	var objects []string
	sources := slices.Clone(machineSources)
	if of.name == "C++" {
		sources = append(sources, pathSources...)
	}
	for _, source := range sources {
		object, err := compile(clang, source, "-sanitized", "-fsanitize=realtime", "-g1")
		if err != nil {
			return "", err
		}
		objects = append(objects, object)
	}
	if of.name == "Rust" {
		library, err := sanitizedRust()
		if err != nil {
			return "", err
		}
		objects = append(objects, library)
	}
	libraries, err := libraries()
	if err != nil {
		return "", err
	}
	machine := of.machine + "-sanitized"
	return machine, building.Run("", clang, slices.Concat(objects, libraries, []string{"-fsanitize=realtime", "-o", machine})...)
}

// sanitizedRust makes the library by a nightly compiler, which has the attribute that the sanitizer asks for.
func sanitizedRust() (string, error) {
	nightly, err := exec.Command("tools/rust-nightly").Output()
	if err != nil {
		return "", absent{"there is no nightly compiler of Rust: " + err.Error()}
	}
	target, err := filepath.Abs(filepath.Join(out, "target-sanitized"))
	if err != nil {
		return "", err
	}
	// With a target's name programs that run while it builds are made without the sanitizer.
	const triple = "x86_64-unknown-linux-gnu"
	command := exec.Command("cargo", "+"+strings.TrimSpace(string(nightly)), "build", "--quiet", "--release", "--target", triple, "--target-dir", target)
	command.Dir = filepath.Join(out, "rust")
	command.Env = append(command.Environ(), "RUSTFLAGS=-Zsanitizer=realtime --cfg realtime_sanitizer")
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cargo: %w\n%s", err, output)
	}
	return filepath.Join(target, triple, "release", "librealtime.a"), nil
}
