package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

var rust = language{name: "rust", title: "Rust", peer: "prost", start: startRust, versions: rustVersions, codecs: []codec{
	{name: sdpEverything, tools: []string{"cargo"}, make: makeRustSDP},
	{name: sdpDefault, tools: []string{"cargo"}, make: makeRustDefault},
	{name: "prost", tools: []string{"cargo", "protoc", "protoc-gen-prost"}, make: makeProst},
	{name: "flatbuffers", tools: []string{"cargo", "flatc"}, make: makeRustFlatbuffers},
}}

// startRust makes a workspace, which has the versions of bench/rust.
func startRust(w *workshop) error {
	folder := filepath.Join(w.folder, "rust")
	if err := os.RemoveAll(filepath.Join(folder, "crates")); err != nil {
		return err
	}
	locked, err := os.ReadFile(filepath.Join(w.root, "bench", "rust", "Cargo.lock"))
	if err != nil {
		return err
	}
	if err := write(filepath.Join(folder, "Cargo.lock"), string(locked)); err != nil {
		return err
	}
	return write(filepath.Join(folder, "Cargo.toml"), "[workspace]\nresolver = \"2\"\nmembers = [\"crates/*\"]\n")
}

func makeRustSDP(w *workshop, s *schema) (*code, error) {
	return rustSDP(w, s, sdpEverything, "sdp", "serde", true)
}

func makeRustDefault(w *workshop, s *schema) (*code, error) {
	return rustSDP(w, s, sdpDefault, "sdp-default", "std", false)
}

// rustSDP is SDP's code, whose crate has one feature, by the name of that of the runtime which it needs.
func rustSDP(w *workshop, s *schema, codec, place, feature string, everything bool) (*code, error) {
	folder, err := w.place("rust", s, place)
	if err != nil {
		return nil, err
	}
	if err := w.sdp(s, "rust="+folder, everything, map[string]string{"runtime": "::sdp"}); err != nil {
		return nil, err
	}
	dependencies := fmt.Sprintf("serial-data-protocol = { path = %q, features = [%[2]q] }\n[features]\ndefault = [%[2]q]\n%[2]s = []\n",
		filepath.Join(w.root, "runtime", "rust"), feature)
	module := strings.ReplaceAll(s.pkg, ".", "_")
	return crate{w, s, codec, folder, dependencies, module + "::" + s.one, "%s::decode(&data).unwrap()", "v.a, v.b.len()"}.code()
}

func makeProst(w *workshop, s *schema) (*code, error) {
	folder, err := w.place("rust", s, "prost")
	if err != nil {
		return nil, err
	}
	if err := w.protoc(s, "none", "--plugin="+w.tool("protoc-gen-prost"), "--prost_out="+folder); err != nil {
		return nil, err
	}
	one := strings.ReplaceAll(s.pkg, ".", "::") + "::" + s.one
	return crate{w, s, "prost", folder, "prost = \"0.14\"\n", one, "<%s as prost::Message>::decode(&data[..]).unwrap()", "v.a, v.b.len()"}.code()
}

func makeRustFlatbuffers(w *workshop, s *schema) (*code, error) {
	folder, err := w.place("rust", s, "flatbuffers")
	if err != nil {
		return nil, err
	}
	if err := w.flatc(s, folder, "--rust"); err != nil {
		return nil, err
	}
	one := s.fbsNamespace() + "_generated::" + s.fbsNamespace() + "::" + s.one
	return crate{w, s, "flatbuffers", folder, "flatbuffers = \"=2.1.2\"\n", one, "flatbuffers::root::<%s>(&data).unwrap()", "v.a(), v.b().map_or(0, str::len)"}.code()
}

// crate is generated code as a crate of its own.
type crate struct {
	w             *workshop
	s             *schema
	codec, folder string
	dependencies  string
	// one is the path of a type; decode decodes a value of it from data, and print tells some of its fields.
	one, decode, print string
}

func (c crate) code() (*code, error) {
	files, err := sources(c.folder, ".rs")
	if err != nil {
		return nil, err
	}
	made := &code{codec: c.codec}
	if made.lines, err = lines(files); err != nil {
		return nil, err
	}
	name := c.s.name + "-" + filepath.Base(c.folder)
	library := c.place(name)
	if err := c.write(name, "", "lib.rs", rustModules(files)); err != nil {
		return nil, err
	}
	// A crate that depends on the same builds the dependencies.
	if err := c.write(name+"-dependencies", "", "lib.rs", ""); err != nil {
		return nil, err
	}
	workspace := filepath.Join(c.w.folder, "rust")
	for _, profile := range []struct{ name, of string }{{"debug", "dev"}, {"release", "release"}} {
		cargo := func(crate string) []string {
			return []string{"cargo", "build", "--quiet", "--profile", profile.of, "--package", crate}
		}
		made.builds = append(made.builds, build{name: profile.name, in: workspace, args: cargo(name), fresh: func() error {
			if err := command(workspace, cargo(name+"-dependencies")...); err != nil {
				return err
			}
			now := time.Now()
			return os.Chtimes(filepath.Join(library, "src", "lib.rs"), now, now)
		}})
	}
	out := filepath.Join(workspace, "target", "release")
	made.object = func() (int, error) {
		return sections(filepath.Join(out, "lib"+strings.ReplaceAll(name, "-", "_")+".rlib"))
	}
	if c.s.program {
		made.program = func() (int, error) {
			program := name + "-program"
			one := strings.ReplaceAll(name, "-", "_") + "::" + c.one
			source := fmt.Sprintf(rustProgram, fmt.Sprintf(c.decode, one), c.print)
			if err := c.write(program, fmt.Sprintf("%s = { path = %q }\n", name, library), "main.rs", source); err != nil {
				return 0, err
			}
			if err := command(workspace, "cargo", "build", "--quiet", "--release", "--package", program); err != nil {
				return 0, err
			}
			return stripped(filepath.Join(out, program))
		}
	}
	return made, nil
}

const rustProgram = `use std::io::Read;

fn main() {
    let mut data = Vec::new();
    std::io::stdin().read_to_end(&mut data).unwrap();
    let v = %s;
    println!("{} {}", %s);
}
`

func (c crate) place(name string) string { return filepath.Join(c.w.folder, "rust", "crates", name) }

// write writes a crate that has one source file beside what it includes.
func (c crate) write(name, more, file, text string) error {
	manifest := fmt.Sprintf("[package]\nname = %q\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n[dependencies]\n%s%s",
		name, more, c.dependencies)
	if err := write(filepath.Join(c.place(name), "Cargo.toml"), manifest); err != nil {
		return err
	}
	return write(filepath.Join(c.place(name), "src", file), text)
}

// rustModules declares files as modules, each by its path. The dots in prost's names of files are modules within each other.
func rustModules(files []string) string {
	var b strings.Builder
	// The compiler follows types that hold each other to a depth of 128, and a chain is deeper.
	b.WriteString("#![allow(warnings)]\n#![recursion_limit = \"512\"]\n")
	open := map[string][]string{}
	var order []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".rs")
		outer, inner, nested := strings.Cut(name, ".")
		if !nested {
			outer, inner = "", name
		}
		order = appendNew(order, outer)
		open[outer] = append(open[outer], fmt.Sprintf("#[path = %q]\npub mod %s;\n", file, inner))
	}
	for _, outer := range order {
		text := strings.Join(open[outer], "")
		if outer != "" {
			text = "pub mod " + outer + " {\n" + text + "}\n"
		}
		b.WriteString(text)
	}
	return b.String()
}

func rustVersions(w *workshop) ([]string, error) {
	found, err := firstLines([]string{"rustc", "--version"}, []string{w.tool("protoc"), "--version"}, []string{w.tool("flatc"), "--version"})
	if err != nil {
		return nil, err
	}
	for _, crate := range []string{"prost", "flatbuffers", "serde"} {
		text, err := output(filepath.Join(w.folder, "rust"), "cargo", "pkgid", "--offline", crate)
		if err != nil {
			return nil, err
		}
		_, version, _ := strings.Cut(strings.TrimSpace(text), "#")
		found = append(found, crate+" "+strings.TrimPrefix(version, crate+"@"))
	}
	return found, nil
}
