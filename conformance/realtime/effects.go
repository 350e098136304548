package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// clang is the compiler that knows the permitted calls of a function that never waits, and the sanitizer of such
// functions.
const clang = "clang++-22"

// install asks for packages of Debian's. Where there are none the layer is absent.
func install(packages ...string) error {
	if output, err := exec.Command("tools/from-debian", packages...).CombinedOutput(); err != nil {
		return absent{fmt.Sprintf("%s can't be installed: %s", packages[0], strings.TrimSpace(string(output)))}
	}
	return nil
}

// effects lets a compiler hold functions that promise never to wait against what they call: all fields of
// views, and what reads and writes values without taking memory. Of the golden code it looks at each construct.
func effects(of *language, _ options) (*findings, error) {
	if err := install(clang, "clang-22"); err != nil {
		return nil, err
	}
	golden := filepath.Join("compiler", "backend", "cpp", "testdata", "golden")
	headers, err := filepath.Glob(filepath.Join(golden, "*.hpp"))
	if err != nil || len(headers) == 0 {
		return nil, errors.Join(err, errors.New("there is no golden code"))
	}
	var all strings.Builder
	for _, header := range headers {
		fmt.Fprintf(&all, "#include %q\n", filepath.Base(header))
	}
	constructs := filepath.Join(out, "golden.cpp")
	if err := building.Write(constructs, all.String()); err != nil {
		return nil, err
	}
	found := &findings{wrong: map[string]string{}, about: fmt.Sprintf("they, and the views of %d golden headers, keep what they promise", len(headers))}
	for _, source := range []string{filepath.Join("conformance", "realtime", "cpp", "effects.cpp"), constructs} {
		if output, err := promised(source, "-I"+golden); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", source, err, output)
		}
	}
	for _, o := range of.operations {
		if !o.takesArena && !o.grows {
			found.seen = append(found.seen, o.name)
		}
	}
	return found, brokenPromises(found)
}

// promised holds a source against what its functions promise.
func promised(source string, flags ...string) (string, error) {
	arguments := slices.Concat([]string{"-std=c++17", "-fsyntax-only", "-Wfunction-effects", "-Werror", "-DSDP_NONBLOCKING=[[clang::nonblocking]]", source}, includes, flags)
	output, err := exec.Command(clang, arguments...).CombinedOutput()
	return string(output), err
}

var (
	faultBegins   = regexp.MustCompile(`^std::uint64_t fault_(\w+)\(`)
	brokenPromise = regexp.MustCompile(`(?m)faults\.cpp:(\d+):\d+: error: (.*) \[-Werror,-Wfunction-effects\]$`)
)

// brokenPromises finds the faults that the compiler sees, by the lines that it complains of.
func brokenPromises(found *findings) error {
	source := filepath.Join("conformance", "realtime", "cpp", "faults.cpp")
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	names, inside := []string{""}, ""
	for line := range strings.Lines(string(text)) {
		if m := faultBegins.FindStringSubmatch(line); m != nil {
			inside = m[1]
			found.seen = append(found.seen, inside)
		}
		names = append(names, inside)
	}
	output, err := promised(source)
	if err == nil {
		return errors.New("the compiler sees no fault")
	}
	for _, m := range brokenPromise.FindAllStringSubmatch(output, -1) {
		if at, err := strconv.Atoi(m[1]); err == nil && at < len(names) {
			found.wrong[names[at]] = m[2]
		}
	}
	return nil
}
