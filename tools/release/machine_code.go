package main

import (
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// machineCode is a library of machine code that a wheel has beside its modules.
type machineCode struct {
	// file is the library, and place its path among installed packages: mesh_exchange_protocol/libmxp_c.so, or
	// serial_data_protocol_native.abi3.so for an extension of the interpreter.
	file, place string
	// interpreter and abi are what the library is for: py3 and none where ctypes loads it, cp311 and abi3, or cp312 and cp312,
	// where the interpreter imports it.
	interpreter, abi string
	// licences is a file with the licences of all that is in it.
	licences string
}

// add puts a library into a wheel, which then is for machines that have all that the library needs.
func (w *wheel) add(library machineCode) error {
	platform, err := platformOf(library.file)
	if err != nil {
		return err
	}
	w.interpreter, w.abi, w.platforms = library.interpreter, library.abi, []string{platform}
	w.files = append(slices.Clone(w.files), archiveFile{library.place, library.file, 0o755})
	w.papers = append([]archiveFile{{thirdParty, library.licences, 0o644}}, w.papers...)
	return nil
}

// rustLibrary is a crate that makes a library for programs of other languages.
type rustLibrary struct {
	// manifest is the Cargo.toml of its workspace, and name the crate's.
	manifest, name string
	// built is the name of what cargo makes, without the beginning and the ending of a machine.
	built    string
	features []string
}

var (
	coreLibrary   = rustLibrary{manifest: "Cargo.toml", name: "mxp-c", built: "mxp_c"}
	engineLibrary = rustLibrary{manifest: "runtime/python/native/Cargo.toml", name: "serial-data-protocol-native", built: "serial_data_protocol_native"}
)

// core builds MXP's library for C, for a machine.
func (r *release) core(ctx context.Context, machine libraryMachine) (machineCode, error) {
	code, err := r.machineCode(ctx, coreLibrary, machine, "core")
	code.place, code.interpreter, code.abi = pythonMXP.module+"/"+machine.file(coreLibrary), "py3", "none"
	return code, err
}

// engines builds the native engine of Python's codec: for the interpreter that is here, and for all others from CPython 3.11 on, by
// functions that stay as they are, on each machine.
func (r *release) engines(ctx context.Context) ([]machineCode, error) {
	own, err := output(ctx, r.work, r.python(), "-c", "import sys, sysconfig; print('cp%d%d' % sys.version_info[:2], sysconfig.get_config_var('EXT_SUFFIX'))")
	if err != nil {
		return nil, err
	}
	tag, suffix, _ := strings.Cut(strings.TrimSpace(own), " ")
	exact, err := r.machineCode(ctx, engineLibrary, thisMachine, "engine")
	if err != nil {
		return nil, err
	}
	exact.place, exact.interpreter, exact.abi = "serial_data_protocol_native"+suffix, tag, tag
	made := []machineCode{exact}
	for _, machine := range machines {
		every, err := r.stableEngine(ctx, machine)
		if err != nil {
			return nil, err
		}
		made = append(made, every)
	}
	return made, nil
}

// stableEngine builds the engine for all interpreters from CPython 3.11 on.
func (r *release) stableEngine(ctx context.Context, machine libraryMachine) (machineCode, error) {
	stable := engineLibrary
	stable.features = []string{"--features", "abi3"}
	code, err := r.machineCode(ctx, stable, machine, "engine-abi3")
	code.place, code.interpreter, code.abi = engineLibrary.built+machine.extension, "cp311", "abi3"
	return code, err
}

// machineCode builds a library in a folder of its own.
func (r *release) machineCode(ctx context.Context, library rustLibrary, machine libraryMachine, folder string) (machineCode, error) {
	target, file := filepath.Join(r.work, folder), machine.file(library)
	home, err := cargoHome()
	if err != nil {
		return machineCode{}, err
	}
	// The library has paths of sources in its texts, which say nothing of this machine then.
	flags := append([]string{"--remap-path-prefix=" + r.source() + "=/sdp", "--remap-path-prefix=" + home + "=/cargo"}, machine.flags(file)...)
	env, err := machine.environment(ctx, r)
	if err != nil {
		return machineCode{}, err
	}
	env = append(env, "CARGO_TARGET_DIR="+target, "CARGO_ENCODED_RUSTFLAGS="+strings.Join(flags, "\x1f"))
	command := []string{"cargo", "rustc", "--quiet", "--release", "--locked", "--manifest-path", library.manifest, "--package", library.name, "--lib", "--crate-type", "cdylib"}
	if machine.target != "" {
		command = append(command, "--target", machine.target)
	}
	if _, err := outputWith(ctx, r.source(), env, append(command, library.features...)...); err != nil {
		return machineCode{}, err
	}
	notices := filepath.Join(r.work, strings.Join([]string{folder, machine.target, thirdParty}, "-"))
	if err := r.crateNotices(ctx, library, machine, notices); err != nil {
		return machineCode{}, err
	}
	return machineCode{file: filepath.Join(target, machine.target, "release", file), licences: notices}, nil
}

// cargoHome is where cargo keeps the sources of crates.
func cargoHome() (string, error) {
	if home := os.Getenv("CARGO_HOME"); home != "" {
		return home, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".cargo"), err
}

// crateGraph is what `cargo metadata` says of crates.
type crateGraph struct {
	Packages []crate
	Resolve  struct {
		Nodes []struct {
			ID   string
			Deps []struct {
				Pkg      string
				DepKinds []struct{ Kind string } `json:"dep_kinds"`
			}
		}
	}
}

// crate is one of them.
type crate struct {
	ID, Name, Version string
	Source            *string
	ManifestPath      string `json:"manifest_path"`
	Targets           []struct{ Kind []string }
}

// linked are the crates whose code is in a library of a crate: not its own project's, and neither macros nor what only builds.
func (g *crateGraph) linked(name string) []crate {
	var found []crate
	crates := map[string]crate{}
	waiting, seen := []string{}, map[string]bool{}
	for _, c := range g.Packages {
		crates[c.ID] = c
		if c.Name == name {
			waiting = append(waiting, c.ID)
		}
	}
	needs := map[string][]string{}
	for _, node := range g.Resolve.Nodes {
		for _, d := range node.Deps {
			for _, k := range d.DepKinds {
				if k.Kind == "" {
					needs[node.ID] = append(needs[node.ID], d.Pkg)
				}
			}
		}
	}
	for len(waiting) > 0 {
		c := crates[waiting[0]]
		waiting = waiting[1:]
		isMacro := len(c.Targets) > 0 && slices.Contains(c.Targets[0].Kind, "proc-macro")
		if seen[c.ID] || isMacro {
			continue
		}
		seen[c.ID] = true
		if c.Source != nil {
			found = append(found, c)
		}
		waiting = append(waiting, needs[c.ID]...)
	}
	slices.SortFunc(found, func(a, b crate) int { return strings.Compare(a.Name+" "+a.Version, b.Name+" "+b.Version) })
	return found
}

// crateNotices gathers the licences of all crates in a crate's library, and of Rust's own library, in a file.
func (r *release) crateNotices(ctx context.Context, library rustLibrary, machine libraryMachine, file string) error {
	platform := machine.target
	if machine == thisMachine {
		host, err := output(ctx, r.source(), "rustc", "--print", "host-tuple")
		if err != nil {
			return err
		}
		platform = strings.TrimSpace(host)
	}
	described, err := output(ctx, r.source(), "cargo", "metadata", "--locked", "--manifest-path", library.manifest, "--format-version", "1", "--filter-platform", platform)
	if err != nil {
		return err
	}
	var graph crateGraph
	if err := json.Unmarshal([]byte(described), &graph); err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("The library contains the following, under the licences below.\n")
	for _, c := range graph.linked(library.name) {
		found, err := licences(filepath.Dir(c.ManifestPath))
		if err != nil {
			return fmt.Errorf("%s %s: %w", c.Name, c.Version, err)
		}
		fmt.Fprintf(&text, "\n---- %s %s\n\n%s", c.Name, c.Version, found)
	}
	version, err := output(ctx, r.source(), "rustc", "--version")
	if err != nil {
		return err
	}
	root, err := output(ctx, r.source(), "rustc", "--print", "sysroot")
	if err != nil {
		return err
	}
	for _, paper := range []string{"MIT.txt", "Apache-2.0.txt", "Unicode-3.0.txt"} {
		found, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "share", "doc", "rust", "licenses", paper))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "\n---- Rust's own library, %s, %s\n\n%s", strings.TrimSpace(version), strings.TrimSuffix(paper, ".txt"), found)
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

// platformOf is the platform of wheels on which a library can be loaded.
func platformOf(file string) (string, error) {
	if strings.HasSuffix(file, ".dylib") {
		return macOf(file)
	}
	if strings.HasSuffix(file, ".dll") {
		return windowsOf(file)
	}
	library, err := elf.Open(file)
	if err != nil {
		return "", fmt.Errorf("wheels with machine code are made on Linux: %w", err)
	}
	defer library.Close()
	needed, err := library.ImportedLibraries()
	if err != nil {
		return "", err
	}
	symbols, err := library.ImportedSymbols()
	if err != nil {
		return "", err
	}
	machine, known := map[elf.Machine]string{elf.EM_X86_64: "x86_64", elf.EM_AARCH64: "aarch64"}[library.Machine]
	if !known {
		return "", fmt.Errorf("%s is for %s, for which pip has no name here", file, library.Machine)
	}
	version, err := glibcOf(needed, symbols)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return fmt.Sprintf("manylinux_2_%d_%s", version, machine), nil
}

// onEveryLinux are libraries that a manylinux wheel may expect, beside the loader.
var onEveryLinux = []string{"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libgcc_s.so.1"}

// oldestGlibc is the second number of the oldest glibc that pip knows by it.
const oldestGlibc = 17

// glibcOf is the second number of the glibc that a library needs: 34 of 2.34. It refuses libraries that a Linux may lack.
func glibcOf(libraries []string, symbols []elf.ImportedSymbol) (int, error) {
	for _, name := range libraries {
		if !slices.Contains(onEveryLinux, name) && !strings.HasPrefix(name, "ld-linux") {
			return 0, fmt.Errorf("it needs %s, which a machine may lack", name)
		}
	}
	version, found := oldestGlibc, false
	for _, s := range symbols {
		text, isGlibc := strings.CutPrefix(s.Version, "GLIBC_2.")
		if !isGlibc {
			continue
		}
		found = true
		text, _, _ = strings.Cut(text, ".")
		var number int
		if _, err := fmt.Sscanf(text, "%d", &number); err != nil {
			return 0, fmt.Errorf("%s needs %s of glibc: %w", s.Name, s.Version, err)
		}
		version = max(version, number)
	}
	if !found {
		return 0, errors.New("it needs no version of glibc, so that nothing says on which machines it runs")
	}
	return version, nil
}
