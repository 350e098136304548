package main

import (
	"context"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// libraryMachine is a machine that wheels have machine code for.
type libraryMachine struct {
	// target is what Rust calls another machine than this one. Names of libraries there have a beginning and an ending; an
	// extension of Python has another ending.
	target, beginning, ending, extension string
	// compilers is the beginning of the names of its compilers in tools/zig, if they are there.
	compilers string
}

var (
	thisMachine = libraryMachine{"", "lib", ".so", ".abi3.so", ""}
	// machines are all of them. Libraries of macOS are linked by zig, and tried by nobody here; mingw-w64 links libraries of
	// Windows, which Wine loads.
	machines = []libraryMachine{
		thisMachine,
		{"aarch64-apple-darwin", "lib", ".dylib", ".abi3.so", "aarch64-macos"},
		{"x86_64-apple-darwin", "lib", ".dylib", ".abi3.so", "x86_64-macos"},
		{"x86_64-pc-windows-gnu", "", ".dll", ".pyd", ""},
	}
)

// file is the name of a library on the machine.
func (m libraryMachine) file(library rustLibrary) string {
	return m.beginning + library.built + m.ending
}

// flags are what rustc is told for a library of the machine. A Mac refuses code that is changed after the linker has signed it, and
// a linker for Windows writes the time into it.
func (m libraryMachine) flags(library string) []string {
	switch {
	case m == thisMachine:
		return []string{"-Cstrip=symbols"}
	case m.compilers == "":
		return []string{"-Cstrip=symbols", "-Clink-arg=-Wl,--no-insert-timestamp"}
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
	if m.compilers == "" {
		_, err := output(ctx, r.source(), "tools/from-debian", "x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64")
		return []string{"PYO3_NO_PYTHON=1"}, err
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

// onEveryWindows are libraries of Windows 10, and of the interpreter that loads an extension.
var onEveryWindows = []string{"advapi32.dll", "bcrypt.dll", "bcryptprimitives.dll", "kernel32.dll", "msvcrt.dll", "ntdll.dll", "psapi.dll", "python3.dll", "userenv.dll", "ws2_32.dll"}

// windowsOf is the platform of wheels on which a library of Windows can be loaded.
func windowsOf(file string) (string, error) {
	library, err := pe.Open(file)
	if err != nil {
		return "", err
	}
	defer library.Close()
	if library.Machine != pe.IMAGE_FILE_MACHINE_AMD64 {
		return "", fmt.Errorf("%s is for the machine %#x, for which pip has no name here", file, library.Machine)
	}
	symbols, err := library.ImportedSymbols()
	if err != nil {
		return "", err
	}
	for _, symbol := range symbols {
		_, from, _ := strings.Cut(symbol, ":")
		from = strings.ToLower(from)
		if !slices.Contains(onEveryWindows, from) && !strings.HasPrefix(from, "api-ms-win-core-") {
			return "", fmt.Errorf("%s needs %s, which a machine may lack", file, from)
		}
	}
	return "win_amd64", nil
}
