package main

import (
	"context"
	"debug/macho"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"
)

// libraryMachine is a machine that wheels have machine code for.
type libraryMachine struct {
	// target is what Rust calls another machine than this one, and ending that of libraries there.
	target, ending string
	// compilers is the beginning of the names of its compilers in tools/zig.
	compilers string
}

var thisMachine = libraryMachine{ending: ".so"}

// macs are linked by zig, and tried by nobody here.
var macs = []libraryMachine{{"aarch64-apple-darwin", ".dylib", "aarch64-macos"}, {"x86_64-apple-darwin", ".dylib", "x86_64-macos"}}

// flags are what rustc is told for a library of the machine. A Mac refuses code that is changed after the linker has signed it.
func (m libraryMachine) flags(library string) []string {
	if m == thisMachine {
		return []string{"-Cstrip=symbols"}
	}
	return []string{"-Cstrip=none", "-Clink-arg=-s", "-Clink-arg=-Wl,-install_name,@rpath/" + library}
}

// environment is what cargo needs to build for the machine.
func (m libraryMachine) environment(ctx context.Context, r *release) ([]string, error) {
	if m == thisMachine {
		return []string{"PYO3_PYTHON=" + r.python()}, nil
	}
	if _, err := output(ctx, r.source(), "rustup", "target", "add", m.target); err != nil {
		return nil, err
	}
	made, err := output(ctx, r.source(), "tools/zig")
	if err != nil {
		return nil, err
	}
	folder := strings.TrimSpace(made)
	compiler := filepath.Join(folder, m.compilers+"-clang")
	name := strings.ReplaceAll(m.target, "-", "_")
	// rustc would ask Xcode for a folder of the system.
	return []string{"PYO3_NO_PYTHON=1", "CC_" + name + "=" + compiler, "CARGO_TARGET_" + strings.ToUpper(name) + "_LINKER=" + compiler, "SDKROOT=" + filepath.Join(filepath.Dir(folder), "sdk")}, nil
}

// Commands of Mach-O that debug/macho leaves as they are: the oldest system, and its name in there.
const (
	buildVersion = 0x32
	systemMac    = 1
)

// macOf is the platform of wheels on which a library of macOS can be loaded.
func macOf(file string) (string, error) {
	library, err := macho.Open(file)
	if err != nil {
		return "", err
	}
	defer library.Close()
	needed, err := library.ImportedLibraries()
	if err != nil {
		return "", err
	}
	for _, name := range needed {
		if !strings.HasPrefix(name, "/usr/lib/") && !strings.HasPrefix(name, "/System/") && name != "@rpath/"+filepath.Base(file) {
			return "", fmt.Errorf("%s needs %s, which a Mac may lack", file, name)
		}
	}
	machine, known := map[macho.Cpu]string{macho.CpuAmd64: "x86_64", macho.CpuArm64: "arm64"}[library.Cpu]
	if !known {
		return "", fmt.Errorf("%s is for %s, for which pip has no name here", file, library.Cpu)
	}
	for _, load := range library.Loads {
		raw := load.Raw()
		word := func(n int) uint32 { return binary.LittleEndian.Uint32(raw[4*n:]) }
		if word(0) == buildVersion && len(raw) >= 16 && word(2) == systemMac {
			return fmt.Sprintf("macosx_%d_%d_%s", word(3)>>16, word(3)>>8&0xff, machine), nil
		}
	}
	return "", fmt.Errorf("%s says of no macOS that it is for it", file)
}
