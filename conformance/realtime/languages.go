package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// language is one that has operations.
type language struct {
	name string
	// build makes the object and the machine.
	build func() error
	// objects have the code of the path and of the faults.
	objects []string
	// machine runs it.
	machine string
	// results is the file of the measurements.
	results    string
	operations []operation
	// doors are where the path ends: functions that refuse a value, or end the program.
	doors []*regexp.Regexp
	// growth are doors, or symbols that are lacking, of operations that need no memory only where a value has enough.
	growth []*regexp.Regexp
}

// operation is an operation of the path, and its permissions beside calls of the functions that everybody may call.
type operation struct {
	name string
	// takesArena says that it calls the memory resource that it is given, by a pointer.
	takesArena bool
	// grows says that it takes memory where what is there does not suffice: for a value that is longer than any before, or
	// numbers that can't be read where they lie.
	grows bool
}

// faults are the names of operations that do what a real-time thread must not do.
var faults = []string{"allocation", "lock", "sleep", "file", "system_call", "page_fault", "uneven"}

// out is where all that is built lies, below the root.
var out = filepath.Join("conformance", "realtime", "out")

var languages = []*language{
	{
		name: "C++", build: buildCPP,
		objects: []string{filepath.Join(out, "path.o"), filepath.Join(out, "faults.o")}, machine: filepath.Join(out, "machine-cpp"), results: "cpp.json",
		operations: []operation{
			{name: "encode_transport"}, {name: "decode_transport"}, {name: "encode_block"}, {name: "view_block"},
			{name: "borrow_block", takesArena: true}, {name: "decode_into_block", grows: true},
			{name: "encode_plugin"}, {name: "view_plugin"}, {name: "borrow_plugin", takesArena: true},
			{name: "pmr_plugin", takesArena: true}, {name: "decode_into_plugin", grows: true},
			{name: "channel_send"}, {name: "channel_receive"}, {name: "channel_latest"},
		},
		doors: patterns(
			`\bsdp::wire::(refusal|kept_layout|encode_refusal|refusal_of|header_refusal|trailing_bytes)\b`,
			`^realtime::refused\(`, `^std::__throw_`),
		growth: patterns(`^operator (new|delete)\(`, `^std::__cxx11::basic_string<.*>::(_M_create|_M_replace|resize)\(`),
	},
	{
		name: "Rust", build: buildRust,
		objects: []string{filepath.Join(out, "path-rust.o")}, machine: filepath.Join(out, "machine-rust"), results: "rust.json",
		operations: []operation{
			{name: "encode_transport"}, {name: "decode_transport"}, {name: "encode_block"}, {name: "view_block"},
			{name: "borrow_block", grows: true}, {name: "decode_into_block", grows: true},
			{name: "encode_plugin"}, {name: "view_plugin"}, {name: "decode_into_plugin", grows: true},
			{name: "channel_send"}, {name: "channel_receive"}, {name: "channel_latest"},
		},
		doors: patterns(
			`^sdp::codec::(named|refusal|message_refusal)\b`, `^sdp::fixed_codec::refusal\b`, `^sdp::header::explain_header\b`,
			`^realtime::path::refused\b`, `^sdp::memory::Tail::grow\b`, `^core(\[\w+\])?::panicking::`),
		growth: patterns(`alloc(\[\w+\])?::raw_vec::`, `^(malloc|free|realloc|posix_memalign)$`),
	},
}

// layers are all there are.
func layers() []layer {
	both := func(finds ...string) map[string][]string { return map[string][]string{"C++": finds, "Rust": finds} }
	return []layer{
		{name: "symbols", look: symbols, isGate: true, finds: both("allocation", "lock", "sleep", "file", "system_call")},
		{name: "effects", look: effects, isGate: true, leavesMemory: true, finds: map[string][]string{"C++": {"allocation", "lock", "sleep", "file"}}},
		{name: "sanitizer", look: sanitizer, finds: map[string][]string{
			"C++": {"allocation", "lock", "sleep", "file"},
			// Locks and pauses of Rust's library ask the system by functions that the sanitizer does not know, and a lock that
			// is free asks nobody.
			"Rust": {"allocation", "file"},
		}},
		{name: "filter", look: filter, isGate: true, finds: both("allocation", "sleep", "file", "system_call")},
		{name: "usage", look: usage, isGate: true, finds: both("allocation", "sleep", "page_fault")},
		{name: "steps", look: steps, isGate: true, finds: both("uneven")},
	}
}

func patterns(texts ...string) (all []*regexp.Regexp) {
	for _, text := range texts {
		all = append(all, regexp.MustCompile(text))
	}
	return all
}

func matches(patterns []*regexp.Regexp, name string) bool {
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(name) })
}

// names are the names of the operations.
func (of *language) names() (all []string) {
	for _, o := range of.operations {
		all = append(all, o.name)
	}
	return all
}

// generate makes the code of the schema, and leaves what stays the same untouched.
func generate(arguments ...string) error {
	schema := filepath.Join("conformance", "realtime", "audio.sdp")
	return building.Run("", "go", append([]string{"run", "./cmd/sdp", "gen", schema}, arguments...)...)
}

// warnings are held against all code, and optimized is how programs of users are made.
var (
	warnings  = []string{"-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"}
	optimized = []string{"-std=c++17", "-O2"}
	includes  = []string{"-I" + filepath.Join("runtime", "cpp", "include"), "-I" + filepath.Join("mxp", "cpp", "include"), "-I" + filepath.Join(out, "cpp"), "-DASIO_STANDALONE"}
)

// libraries are MXP's, which it makes, and the system's libraries that it needs.
func libraries() ([]string, error) {
	net, err := building.Net(".", filepath.Join(out, "net"))
	return []string{net, "-lxxhash", "-lpthread"}, err
}

// compile makes an object of a source of the folder, and returns its name.
func compile(compiler, source, suffix string, flags ...string) (string, error) {
	object := filepath.Join(out, strings.TrimSuffix(filepath.Base(source), ".cpp")+suffix+".o")
	arguments := slices.Concat(optimized, warnings, includes, flags,
		unoptimized(source), []string{"-c", filepath.Join("conformance", "realtime", source), "-o", object})
	return object, building.Run("", compiler, arguments...)
}

// opening is the source that opens channels. It is none of the path, nor is MXP's library, which it needs.
const opening = "cpp/channels.cpp"

// unoptimized spares the time for sources that are not of the path.
func unoptimized(source string) []string {
	if source == opening {
		return []string{"-O0"}
	}
	return nil
}

// pathSources are the operations in C++.
var pathSources = []string{"cpp/path.cpp", "cpp/faults.cpp", "cpp/prepare.cpp", opening}

// machineSources are the program that runs operations of any language.
var machineSources = []string{"machine/main.cpp", "machine/filter.cpp", "machine/usage.cpp", "machine/steps.cpp", "machine/latency.cpp"}

// buildCPP leaves tables of jumps out of the path, so that it can be gone through.
func buildCPP() error {
	if err := generate("--out", "cpp="+filepath.Join(out, "cpp"), "--cpp-runtime", "sdp/sdp.hpp", "--forms", "owned,borrowed,pmr,views", "--services"); err != nil {
		return err
	}
	libraries, err := libraries()
	if err != nil {
		return err
	}
	var objects []string
	for _, source := range slices.Concat(pathSources, machineSources) {
		object, err := compile("g++", source, "", "-fno-jump-tables", "-ffunction-sections")
		if err != nil {
			return err
		}
		objects = append(objects, object)
	}
	// Functions of libraries are found when the program starts.
	return building.Run("", "g++", slices.Concat(objects, libraries, []string{"-Wl,-z,now", "-o", filepath.Join(out, "machine-cpp")})...)
}

// layRust lays the crate into a folder.
func layRust(folder string) error {
	if err := generate("--out", "rust="+folder, "--rust-runtime", "::sdp", "--forms", "owned,borrowed,views", "--services"); err != nil {
		return err
	}
	sources, err := filepath.Glob(filepath.Join("conformance", "realtime", "rust", "*"))
	if err != nil {
		return err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	crates := strings.NewReplacer("{{runtime}}", filepath.ToSlash(root)+"/runtime/rust", "{{mxp}}", filepath.ToSlash(root)+"/mxp/rust")
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if err := building.Write(filepath.Join(folder, filepath.Base(source)), crates.Replace(string(text))); err != nil {
			return err
		}
	}
	return nil
}

// buildRust needs the machine's objects, which C++ has made.
func buildRust() error {
	crate := filepath.Join(out, "rust")
	if err := layRust(crate); err != nil {
		return err
	}
	target, err := filepath.Abs(filepath.Join(out, "target"))
	if err != nil {
		return err
	}
	if err := building.Run(crate, "cargo", "build", "--quiet", "--release", "--target-dir", target); err != nil {
		return err
	}
	library := filepath.Join(target, "release", "librealtime.a")
	if err := extract(library, filepath.Join(out, "path-rust.o")); err != nil {
		return err
	}
	arguments := []string{"-o", filepath.Join(out, "machine-rust")}
	for _, source := range machineSources {
		arguments = append(arguments, filepath.Join(out, strings.TrimSuffix(filepath.Base(source), ".cpp")+".o"))
	}
	return building.Run("", "g++", append(arguments, library, "-Wl,-z,now")...)
}

// extract takes the one object of a library that has the whole program.
func extract(library, to string) error {
	members, err := exec.Command("ar", "t", library).Output()
	if err != nil {
		return fmt.Errorf("ar t %s: %w", library, err)
	}
	var own []string
	for member := range strings.Lines(string(members)) {
		if strings.HasPrefix(member, "realtime-") {
			own = append(own, strings.TrimSpace(member))
		}
	}
	if len(own) != 1 {
		return fmt.Errorf("%s has the objects %q, and should have one", library, own)
	}
	object, err := exec.Command("ar", "p", library, own[0]).Output()
	if err != nil {
		return fmt.Errorf("ar p %s: %w", library, err)
	}
	return os.WriteFile(to, object, 0o666)
}
