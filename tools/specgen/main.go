// Specgen turns spec/errors.toml, spec/limits.toml and spec/scalars.toml into the
// constants and tables of every package that needs them, so that a refusal, a
// limit or a scalar is written down once. It knows how a constant is spelt in each language, and not what any of
// them is for.
//
//	go run ./tools/specgen          writes the outputs that changed
//	go run ./tools/specgen -check   only says which would change, and exits 1
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// output is one generated file.
type output struct {
	path   string // from the root of the repository
	name   string // of the package, as its language spells it
	render func(*spec, output) ([]byte, error)
	scopes []string // the limits it needs
	family string   // whose refusals it has: "frame", "session", or all others
}

// outputs is the list of everything that is generated from the spec.
var outputs = []output{
	{"runtime/go/spec.gen.go", "sdp", golang, []string{"decode", "wire", "json"}, ""},
	{"compiler/interp/spec.gen.go", "interp", golang, []string{"decode", "wire", "json"}, ""},
	{"runtime/rust/src/spec_gen.rs", "sdp", rust, []string{"decode", "wire", "json"}, ""},
	{"runtime/cpp/include/sdp/spec_gen.hpp", "sdp", cpp, []string{"decode", "wire", "json"}, ""},
	{"mxp/go/frame/spec.gen.go", "frame", golang, []string{"frame"}, "frame"},
	{"mxp/rust/src/frame/spec_gen.rs", "mxp", rust, []string{"frame"}, "frame"},
	{"mxp/cpp/include/mxp/spec_gen.hpp", "mxp", cpp, []string{"frame"}, "frame"},
	{"mxp/go/session/spec.gen.go", "session", golang, []string{"session", "client", "server"}, "session"},
	{"mxp/rust/src/session/spec_gen.rs", "mxp", rust, []string{"session", "client", "server"}, "session"},
	{"mxp/cpp/include/mxp/session/spec_gen.hpp", "mxp::session", cpp, []string{"session", "client", "server"}, "session"},
	{path: "compiler/ir/scalars.gen.go", name: "ir", render: goScalars},
	{path: "runtime/go/scalars.gen.go", name: "sdp", render: goWords},
	{path: "runtime/rust/src/scalars_gen.rs", render: rustWords},
	{path: "runtime/cpp/include/sdp/scalars_gen.hpp", render: cppWords},
}

func main() {
	root := flag.String("root", ".", "root of the repository")
	check := flag.Bool("check", false, "write nothing; exit 1 if an output is out of date")
	flag.Parse()
	drifted, err := run(*root, !*check)
	if err != nil {
		fmt.Fprintln(os.Stderr, "specgen:", err)
		os.Exit(1)
	}
	for _, path := range drifted {
		fmt.Println(path)
	}
	if *check && len(drifted) > 0 {
		os.Exit(1)
	}
}

// run returns the outputs that differ from the spec, and brings them up to date
// if write is set.
func run(root string, write bool) (drifted []string, err error) {
	s, err := load(filepath.Join(root, "spec"))
	if err != nil {
		return nil, err
	}
	for _, o := range outputs {
		want, err := o.render(s.of(o.family), o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.path, err)
		}
		path := filepath.Join(root, o.path)
		have, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if bytes.Equal(have, want) {
			continue
		}
		drifted = append(drifted, o.path)
		if write {
			if err := os.WriteFile(path, want, 0o666); err != nil {
				return nil, err
			}
		}
	}
	return drifted, nil
}
