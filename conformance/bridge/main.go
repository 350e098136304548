// Command bridge imports .proto files that others wrote, makes a bridge of Go for them, and
// lets random values of every message go over it and back, beside what protoc-gen-go makes
// of the same files.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/bridge/plugins"
)

// module is this one.
const module = "github.com/serial-data-protocol/sdp/conformance/bridge"

// made is the folder below it that all goes to, which ./... has not got.
const made = "testdata"

// corpora are folders of .proto files, and what of them is imported.
var corpora = []corpus{
	{name: "opentelemetry", folder: "opentelemetry", values: 10_000, files: []string{"opentelemetry"}},
	{name: "protobuf", folder: "google.golang.org/protobuf", values: 200, files: []string{
		"cmd/protoc-gen-go/testdata/comments", "cmd/protoc-gen-go/testdata/fieldnames",
		"cmd/protoc-gen-go/testdata/issue780_oneof_conflict", "cmd/protoc-gen-go/testdata/nopackage", "cmd/protoc-gen-go/testdata/proto2",
		"cmd/protoc-gen-go/testdata/proto3", "cmd/protoc-gen-go/testdata/protoeditions", "internal/testprotos/enums",
		"internal/testprotos/news", "internal/testprotos/order", "internal/testprotos/required", "internal/testprotos/test3", "internal/testprotos/test/test.proto",
		"internal/testprotos/test/test_import.proto", "internal/testprotos/test/test_public.proto", "internal/testprotos/testeditions/test.proto",
		"internal/testprotos/testeditions/test_import.proto", "internal/testprotos/testeditions/test_public.proto", "internal/testprotos/textpb3",
	}},
	{name: "services", folder: "protos", values: 1000, files: []string{"."}},
}

// corpus is .proto files that import each other from a folder.
type corpus struct {
	name, folder string
	files        []string
	values       int
}

func main() {
	seed := flag.Uint64("seed", 1, "the seed of random values")
	only := flag.String("only", "", "the corpus alone of that name")
	otel := flag.String("opentelemetry", "../../target/protobuf/node_modules/@opentelemetry/otlp-grpc-exporter-base/build/protos", "the folder of its .proto files")
	flag.Parse()
	if err := run(*seed, *only, *otel); err != nil {
		fmt.Fprintln(os.Stderr, "bridge:", err)
		os.Exit(1)
	}
}

func run(seed uint64, only, otel string) error {
	sdp, err := filepath.Abs("testdata/sdp")
	if err != nil {
		return err
	}
	if err := command("../..", "go", "build", "-o", sdp, "./cmd/sdp"); err != nil {
		return err
	}
	plugin, err := exec.Command("go", "tool", "-n", "protoc-gen-go-grpc").Output()
	if err != nil {
		return err
	}
	for _, c := range corpora {
		if only != "" && only != c.name {
			continue
		}
		switch c.folder {
		case "opentelemetry":
			c.folder = otel
		case "google.golang.org/protobuf":
			out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", c.folder).Output()
			if err != nil {
				return err
			}
			c.folder = strings.TrimSpace(string(out))
		}
		if err := c.run(sdp, strings.TrimSpace(string(plugin)), seed); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

func command(folder, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir, c.Stdout, c.Stderr = folder, os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args, " "), err)
	}
	return nil
}

// config is that of a corpus: the runtime is this repository's.
const config = `schemas = ["schemas"]

[[output]]
language = "go"
dir = "gen"
services = true
json = false
runtime = "github.com/serial-data-protocol/sdp/runtime/go"
`

func (c corpus) run(sdp, plugin string, seed uint64) error {
	out := filepath.Join(made, c.name)
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	prefix := path.Join(module, made, c.name, "pb")
	files, err := c.copy(filepath.Join(out, "protos"), prefix)
	if err != nil {
		return err
	}
	if err := plugins.Generate([]string{filepath.Join(out, "protos")}, files, filepath.Join(out, "pb"), prefix, plugins.Plugin{Program: plugin}); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "sdp.toml"), []byte(config), 0o666); err != nil {
		return err
	}
	args := []string{"import", "proto", "-I", "protos", "--out", "schemas", "--bridge", "go=bridge", "--leave-out"}
	for _, file := range files {
		args = append(args, path.Join("protos", file))
	}
	if err := quietly(out, sdp, args...); err != nil {
		return err
	}
	if err := quietly(out, sdp, "gen"); err != nil {
		return err
	}
	count, err := writeTrips(out)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d files, %d messages\n", c.name, len(files), count)
	if err := command(out, "gofmt", "-l", "bridge"); err != nil {
		return err
	}
	if err := command(out, "go", "vet", "./bridge/...", "./trips"); err != nil {
		return err
	}
	return command(out, "go", "test", "-count=1", "./trips", "-seed", fmt.Sprint(seed), "-values", fmt.Sprint(c.values))
}

// quietly runs a program whose output is shown if it fails.
func quietly(folder, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir = folder
	if text, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, text)
	}
	return nil
}

var (
	goPackage = regexp.MustCompile(`(?m)^option go_package = "([^";]*)(;[^"]*)?";`)
	// syntax is the line that an option can stand behind.
	syntax = regexp.MustCompile(`(?m)^(syntax|edition) = .*$`)
	// opaque is the mark of files that a bridge refuses.
	opaque = regexp.MustCompile(`api_level = API_OPAQUE`)
)

// copy copies .proto files, and gives them Go packages below a prefix. It returns the files that
// are to be imported.
func (c corpus) copy(to, prefix string) (files []string, err error) {
	err = filepath.WalkDir(c.folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".proto") {
			return err
		}
		inside, err := filepath.Rel(c.folder, name)
		if err != nil {
			return err
		}
		inside = filepath.ToSlash(inside)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if features, is := strings.CutPrefix(inside, "src/"); is { // those of Go, newer than the tool's
			return write(filepath.Join(to, filepath.FromSlash(features)), text)
		}
		if opaque.Match(text) {
			return nil
		}
		own := path.Join(prefix, strings.ReplaceAll(path.Dir(inside), "internal", "inside"), "pb")
		option := `option go_package = "` + own + `";`
		if goPackage.Match(text) {
			text = goPackage.ReplaceAll(text, []byte(option))
		} else {
			text = syntax.ReplaceAll(text, append([]byte("$0\n"), option...))
		}
		if slices.ContainsFunc(c.files, func(part string) bool { return part == "." || inside == part || strings.HasPrefix(inside, part+"/") }) {
			files = append(files, inside)
		}
		return write(filepath.Join(to, filepath.FromSlash(inside)), text)
	})
	return files, err
}

func write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// writeTrips writes a test that lets values of every message go over the bridge.
func writeTrips(out string) (count int, err error) {
	var imports, lines strings.Builder
	err = filepath.WalkDir(filepath.Join(out, "bridge"), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "proto.sdp.go" {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		alias := fmt.Sprintf("b%d", strings.Count(imports.String(), "\n"))
		used := false
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || !strings.HasSuffix(f.Name.Name, "FromProto") {
				continue
			}
			if _, isMessage := f.Type.Params.List[0].Type.(*ast.StarExpr); !isMessage {
				continue
			}
			used = true
			count++
			stem := strings.TrimSuffix(f.Name.Name, "FromProto")
			fmt.Fprintf(&lines, "\ttrip.Message(t, %s.%sFromProto, %s.%sToProto)\n", alias, stem, alias, stem)
		}
		if used {
			fmt.Fprintf(&imports, "\t%s %q\n", alias, path.Join(module, filepath.ToSlash(filepath.Dir(name))))
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	text := "package trips\n\nimport (\n\t\"testing\"\n\n\t\"" + module + "/trip\"\n" + imports.String() + ")\n\n" +
		"func TestValuesComeBack(t *testing.T) {\n" + lines.String() + "}\n"
	formatted, err := format.Source([]byte(text))
	if err != nil {
		return 0, err
	}
	return count, write(filepath.Join(out, "trips", "trips_test.go"), formatted)
}
