package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// schema is one schema whose generated code is built. The peers' schemas are written from the compiler's
// result for it.
type schema struct {
	name, title string
	files       map[string]string
	roots       []string // the files that code is asked for
	// pkg and one are the type that a source uses which uses one, and that programs decode.
	pkg, one string
	// program says that programs are linked, whose bytes are counted.
	program bool
	// whole says that in C++ what is compiled once is compiled, too.
	whole bool
	// services says that it is a schema of services.
	services bool
	resolved *ir.Schema
}

// schemaNames are the names of all that is measured, in the order of the tables.
var schemaNames = []string{"flat100", "flat300", "chain200", "otel", "service"}

// schemas are all that is measured; a tiny one, for a look whether everything works.
func schemas(root string, tiny bool) ([]*schema, error) {
	telemetry, err := openTelemetry(root)
	if err != nil {
		return nil, err
	}
	all := []*schema{flat(100), flat(300), chain(200), telemetry, service()}
	if tiny {
		all = []*schema{flat(2)}
	}
	all[0].program, all[0].whole = true, true
	for _, s := range all {
		resolved, problems := check.Program(check.Memory(s.files), s.roots, format.Canonical)
		if resolved == nil {
			return nil, fmt.Errorf("%s is refused: %v", s.name, problems.Sorted()[0])
		}
		s.resolved = resolved
	}
	return all, nil
}

// messages are how many structs and messages a schema has.
func (s *schema) messages() int {
	n := 0
	for _, p := range s.resolved.Packages {
		for _, d := range p.Decls {
			if ir.KindOf(d) == ir.MessageKind || ir.KindOf(d) == ir.StructKind {
				n++
			}
		}
	}
	return n
}

// flat has n messages of nine fields that know nothing of each other.
func flat(n int) *schema {
	var b strings.Builder
	b.WriteString("package flat;\n")
	for i := range n {
		fmt.Fprintf(&b, `
enum E%[1]d: u8 {
    A = 0,
    B = 1,
    C = 2,
}

message M%[1]d {
    a: u32,
    b: str,
    c: f64,
    d: bool,
    e: i64,
    f: []u32,
    g: ?str,
    h: []E%[1]d,
    i: bytes,
}
`, i)
	}
	return single(fmt.Sprintf("flat%d", n), fmt.Sprintf("%d messages of 9 fields", n), "flat", "M0", b.String())
}

// chain has n messages, each of which holds its predecessor, and the message of half its number.
func chain(n int) *schema {
	var b strings.Builder
	b.WriteString("package chain;\n\nmessage M0 {\n    a: u32,\n    b: str,\n}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "\nmessage M%d {\n    child: ?M%d,\n    kids: []M%d,\n}\n", i, i-1, i/2)
	}
	return single(fmt.Sprintf("chain%d", n), fmt.Sprintf("a chain of %d messages", n), "chain", fmt.Sprintf("M%d", n-1), b.String())
}

// service has methods of each kind, seven together.
func service() *schema {
	s := single("service", "a service of 7 methods", "mixer", "Gain", `package mixer;

message Gain {
    channel: u32,
    decibels: f32,
}

service Mixer {
    call gain(Gain) -> Gain = 1;
    call set(Gain) -> Gain = 2;
    call reset(Gain) -> Gain = 3;
    stream list(Gain) -> stream Gain = 4;
    stream fade(stream Gain) -> Gain = 5;
    stream ride(stream Gain) -> stream Gain = 6;
    event muted(Gain) = 7;
}
`)
	s.services = true
	return s
}

// single is a schema of one file.
func single(name, title, pkg, one, text string) *schema {
	file := pkg + ".sdp"
	return &schema{name: name, title: title, files: map[string]string{file: text}, roots: []string{file}, pkg: pkg, one: one}
}

// openTelemetry is the schema of examples/otel.
func openTelemetry(root string) (*schema, error) {
	s := &schema{
		name: "otel", title: "OpenTelemetry: traces, metrics and logs", files: map[string]string{},
		roots: []string{"trace.sdp", "metrics.sdp", "logs.sdp"}, pkg: "otel.trace", one: "TracesData",
		whole: true,
	}
	for _, file := range append([]string{"common.sdp"}, s.roots...) {
		text, err := os.ReadFile(filepath.Join(root, "examples", "otel", file))
		if err != nil {
			return nil, err
		}
		s.files[file] = string(text)
	}
	return s, nil
}

// write writes the schema's files to a folder, and returns the paths of the files that code is asked
// for.
func (s *schema) write(folder string) ([]string, error) {
	for name, text := range s.files {
		if err := write(filepath.Join(folder, name), text); err != nil {
			return nil, err
		}
	}
	var roots []string
	for _, name := range s.roots {
		roots = append(roots, filepath.Join(folder, name))
	}
	return roots, nil
}
