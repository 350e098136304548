// Specgen turns the tables of spec/, errors.toml, limits.toml, scalars.toml, frames.toml
// and telemetry.toml, into the constants and tables of every package that needs them, so
// that a refusal, a limit, a scalar, a type of frame or a name that others' tools know is
// written down once. It knows how each is spelt in a language, and not what any of them
// is for.
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
	family string   // whose refusals it has: "frame", "session", "all", or all others
	have   []byte   // what the file has now
}

// outputs is the list of everything that is generated from the spec.
var outputs = []output{
	{path: "runtime/go/spec.gen.go", name: "sdp", render: golang, scopes: []string{"decode", "wire", "json", "peer"}},
	{path: "compiler/interp/spec.gen.go", name: "interp", render: golang, scopes: []string{"decode", "wire", "json", "peer"}},
	{path: "runtime/rust/src/spec_gen.rs", name: "sdp", render: rust, scopes: []string{"decode", "wire", "json", "peer"}},
	{path: "runtime/cpp/include/sdp/spec_gen.hpp", name: "sdp", render: cpp, scopes: []string{"decode", "wire", "peer"}},
	{path: "runtime/typescript/src/spec_gen.ts", render: typescript, scopes: []string{"decode", "wire", "json", "peer"}},
	{path: "runtime/python/sdp/_spec.py", render: python, scopes: []string{"decode", "wire", "json", "peer"}},
	{path: "mxp/go/frame/spec.gen.go", name: "frame", render: golang, scopes: []string{"frame"}, family: "frame"},
	{path: "mxp/rust/src/frame/spec_gen.rs", name: "mxp", render: rust, scopes: []string{"frame"}, family: "frame"},
	{path: "mxp/cpp/include/mxp/spec_gen.hpp", name: "mxp", render: cpp, scopes: []string{"frame"}, family: "frame"},
	{path: "mxp/go/session/spec.gen.go", name: "session", render: golang, scopes: []string{"session", "client", "server"}, family: "session"},
	{path: "mxp/rust/src/session/spec_gen.rs", name: "mxp", render: rust, scopes: []string{"session", "client", "server"}, family: "session"},
	{path: "mxp/cpp/include/mxp/session/spec_gen.hpp", name: "mxp::session", render: cpp, scopes: []string{"session", "client", "server"}, family: "session"},
	{path: "mxp/typescript/src/frame/spec_gen.ts", render: typescriptKinds, scopes: []string{"frame"}, family: "frame"},
	{path: "mxp/typescript/src/session/spec_gen.ts", render: typescriptKinds, scopes: []string{"session", "client", "server"}, family: "session"},
	{path: "compiler/ir/scalars.gen.go", name: "ir", render: goScalars},
	{path: "runtime/go/scalars.gen.go", name: "sdp", render: goWords},
	{path: "runtime/rust/src/scalars_gen.rs", render: rustWords},
	{path: "runtime/cpp/include/sdp/scalars_gen.hpp", render: cppWords},
	{path: "mxp/go/frame/types.gen.go", name: "frame", render: goTypes},
	{path: "mxp/rust/src/frame/types_gen.rs", name: "mxp", render: rustTypes},
	{path: "mxp/cpp/include/mxp/types_gen.hpp", name: "mxp", render: cppTypes},
	{path: "mxp/typescript/src/frame/types_gen.ts", render: typescriptTypes},
	{path: "mxp/go/session/rules.gen.go", name: "session", render: goRules},
	{path: "mxp/rust/src/session/rules_gen.rs", name: "mxp", render: rustRules},
	{path: "mxp/cpp/include/mxp/session/rules_gen.hpp", name: "mxp::session", render: cppRules},
	{path: "mxp/typescript/src/session/rules_gen.ts", render: typescriptRules},
	{path: "compiler/tap/frames.gen.go", name: "tap", render: goTap},
	{path: "conformance/simulation/frames.gen.go", name: "main", render: goSimulation},
	{path: "mxp/go/telemetry.gen.go", name: "mxp", render: goTelemetry},
	{path: "mxp/rust/src/net/telemetry/names_gen.rs", name: "mxp", render: rustTelemetry},
	{path: "mxp/python/mesh_exchange_protocol/_telemetry_names.py", render: pythonTelemetry},
	{path: "mxp/cpp/include/mxp/net/telemetry_gen.hpp", name: "mxp::net::semconv", render: cppTelemetry},
	{path: "spec/mxp.md", render: specTables},
	{path: "docs/telemetry.md", render: telemetryTables},
	{path: "docs/troubleshooting.md", render: troubleshooting, family: allFamilies},
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
		path := filepath.Join(root, o.path)
		o.have, err = os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		want, err := o.render(s.of(o.family), o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.path, err)
		}
		if bytes.Equal(o.have, want) {
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
