// Command build makes a Go runner for schemas: it generates their code into a
// module of its own, writes the table by which the runner finds their types, and
// compiles it.
//
//	go run ./conformance/runners/go/build [-out DIR] SCHEMA...
//
// The runner is DIR/runner. It names a type SCHEMA.TYPE, SCHEMA being the file's
// name without ".sdp".
package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// The generated code lists its own parts: the part of a layout text names the schema's type beside
// the Go name, and only packages with type ids have a dispatcher.
var (
	parts      = regexp.MustCompile("func (\\w+)Layout\\(\\) string [^`]*`(?:struct|message|union) (\\S+)")
	factors    = regexp.MustCompile(`allocates at most (\d+)·n bytes and 64 KiB,\n(?://.*\n)*type (\w+) `)
	dispatcher = regexp.MustCompile(`\nfunc DecodeMessageWith\(`)
)

// generated is the code of one schema.
type generated struct {
	schema   string            // the file's name without its ending
	folder   string            // of the package, below the module
	types    map[string]string // Go names by those of the schema
	factors  map[string]string // what memory a byte may cost, by Go names
	dispatch bool
}

func main() { building.Main("go", build) }

func build(r building.Runner) error {
	if err := start(r.Out); err != nil {
		return err
	}
	var made []generated
	for _, file := range r.Schemas {
		g, err := generate(r.Out, r.SDP, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		made = append(made, g)
	}
	if err := os.WriteFile(filepath.Join(r.Out, "types.go"), []byte(table(made)), 0o666); err != nil {
		return err
	}
	return building.Run(r.Out, "go", "build", "-o", "runner", ".")
}

// start makes an empty module with the runner's own source.
func start(out string) error {
	if err := os.RemoveAll(filepath.Join(out, "gen")); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(out, "gen"), 0o777); err != nil {
		return err
	}
	// The test comes along; it passes where the schemas are conformance's own.
	for _, name := range []string{"go.mod", "main.go", "values_test.go"} {
		text, err := os.ReadFile(filepath.Join("conformance", "runners", "go", "runner", name))
		if err != nil {
			return fmt.Errorf("%w (run it from the root of the repository)", err)
		}
		if err := os.WriteFile(filepath.Join(out, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// generate runs sdp for one schema. Each has a folder of its own, since two
// releases of a package have the same name. The first call lays the runtime, the
// others find it.
func generate(out, sdp, file string) (generated, error) {
	g := generated{schema: strings.TrimSuffix(filepath.Base(file), ".sdp"), types: map[string]string{}, factors: map[string]string{}}
	folder := filepath.Join(out, "gen", g.schema)
	laid := filepath.Join(out, "gen")
	if _, err := os.Stat(filepath.Join(laid, "sdp")); err != nil {
		if err := building.Run("", sdp, slices.Concat([]string{"gen", file, "--out", "go=" + laid}, building.Whole("go"))...); err != nil {
			return g, err
		}
	}
	args := slices.Concat([]string{"gen", file, "--out", "go=" + folder, "--go-runtime", "runner/gen/sdp"}, building.Whole("go"))
	if err := building.Run("", sdp, args...); err != nil {
		return g, err
	}
	return g, g.read(out, folder, filepath.Base(file))
}

// read finds the package of the schema itself among the generated ones, and its types.
func (g *generated) read(out, folder, file string) error {
	return filepath.WalkDir(folder, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		source, err := os.ReadFile(name)
		if err != nil || !strings.Contains(firstLine(source), " from "+file+".") {
			return err
		}
		below, err := filepath.Rel(out, filepath.Dir(name))
		if err != nil {
			return err
		}
		g.folder = filepath.ToSlash(below)
		g.dispatch = g.dispatch || dispatcher.Match(source)
		for _, found := range parts.FindAllSubmatch(source, -1) {
			full := string(found[2])
			g.types[full[strings.LastIndex(full, ".")+1:]] = string(found[1])
		}
		for _, found := range factors.FindAllSubmatch(source, -1) {
			g.factors[string(found[2])] = string(found[1])
		}
		return nil
	})
}

func firstLine(source []byte) string {
	line, _, _ := strings.Cut(string(source), "\n")
	return line
}

// table is the source of the runner's table of types.
func table(made []generated) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"runner/gen/sdp\"\n")
	for i, g := range made {
		fmt.Fprintf(&b, "\tp%d %q\n", i, path.Join("runner", g.folder))
	}
	b.WriteString(")\n\nvar schemas = map[string]schema{\n")
	for i, g := range made {
		fmt.Fprintf(&b, "\t%q: {\n", g.schema)
		if g.dispatch {
			fmt.Fprintf(&b, "\t\tdispatch: p%d.DecodeMessageWith, reader: p%d.NewMessageReader,\n", i, i)
		}
		b.WriteString("\t\ttypes: map[string]*entry{\n")
		names := make([]string, 0, len(g.types))
		for name := range g.types {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			fmt.Fprintf(&b, typeRow, name, fmt.Sprintf("p%d", i), g.types[name], g.factors[g.types[name]])
		}
		b.WriteString("\t\t},\n\t},\n")
	}
	b.WriteString("}\n")
	return b.String()
}

const typeRow = `			%[1]q: {
				make:     func() value { return new(%[2]s.%[3]s) },
				view:     func(b []byte, o sdp.DecodeOptions) error { _, err := %[2]s.View%[3]sWith(b, o); return err },
				layout:   %[2]s.%[3]sLayout(),
				factor:   %[4]s,
				segments: %[2]s.%[3]sSegmentFingerprints, cumulative: %[2]s.%[3]sFingerprints,
			},
`
