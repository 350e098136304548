// Command agents holds the JSON Schema that the tool writes against ajv: a text is accepted
// by one exactly where the other's reading of JSON accepts it, but for what
// docs/json-schema.md lists.
//
// Packages of package.json are installed in this folder before.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/interp/random"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/jsonschema"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

func main() {
	seed := flag.Uint64("seed", 1, "the seed of values and of their changes")
	count := flag.Int("count", 100_000, "how many texts are made")
	folder := flag.String("folder", "target/agents", "where JSON Schemas are written")
	wrong := flag.Bool("wrong", false, "leave bounds out of the JSON Schemas, so that the comparison has to fail")
	flag.Parse()
	if err := run(*folder, *seed, *count, *wrong); err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		os.Exit(1)
	}
}

// subject is a type whose texts are compared.
type subject struct {
	name   string
	codec  *interp.Codec
	values *random.Generator
	schema string // a file
	strict bool
}

func run(folder string, seed uint64, count int, wrong bool) error {
	fmt.Printf("seed %d\n", seed)
	subjects, err := subjectsOf(folder, seed, wrong)
	if err != nil {
		return err
	}
	ajv, err := start("conformance/agents/check.mjs")
	if err != nil {
		return err
	}
	report := report{seen: map[string]int{}}
	damager := &damager{rand.New(rand.NewPCG(seed, 1))}
	for i := range count {
		s := subjects[i%len(subjects)]
		text, err := s.text(damager)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := report.compare(s, text, ajv); err != nil {
			return err
		}
	}
	err = ajv.end()
	fmt.Printf("%d types, %s", len(subjects), &report)
	if report.wrong > 0 {
		err = errors.Join(err, fmt.Errorf("%d texts are accepted by one alone, for no reason that is known", report.wrong))
	}
	return err
}

// subjectsOf are all types of all schemas of the repository's examples and vectors, each
// also as `--strict` has it.
func subjectsOf(folder string, seed uint64, wrong bool) ([]*subject, error) {
	var paths []string
	for _, pattern := range []string{"conformance/schemas/*.sdp", "examples/*/*.sdp", "examples/*/*/*.sdp", "spec/*.sdp"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	var subjects []*subject
	for _, path := range paths {
		program, err := compiled(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, d := range program.Schema.Roots[0].Decls {
			if _, isEnum := d.(*ir.Enum); isEnum {
				continue
			}
			for _, strict := range []bool{false, true} {
				s, err := newSubject(folder, path, program, d, seed, strict, wrong)
				if err != nil {
					return nil, err
				}
				subjects = append(subjects, s)
			}
		}
	}
	return subjects, nil
}

// files finds schemas beside the schemas that import them, or in the folder shared beside theirs.
type files struct{}

// Find implements check.Loader.
func (files) Find(name, importer string) (string, error) {
	if importer == "" {
		return name, nil
	}
	var err error
	for _, folder := range []string{".", "../shared"} {
		found := filepath.Join(filepath.Dir(importer), folder, name)
		if _, err = os.Stat(found); err == nil {
			return found, nil
		}
	}
	return "", err
}

// Read implements check.Loader.
func (files) Read(name string) (string, error) {
	text, err := os.ReadFile(name)
	return string(text), err
}

func compiled(path string) (*plan.Program, error) {
	schema, problems := check.Program(files{}, []string{path}, format.Canonical)
	if problems.HasErrors() {
		return nil, fmt.Errorf("%v", problems)
	}
	return plan.New(schema), nil
}

func newSubject(folder, path string, program *plan.Program, d ir.Decl, seed uint64, strict, wrong bool) (*subject, error) {
	codec, err := interp.New(program, d)
	if err != nil {
		return nil, err
	}
	var schema bytes.Buffer
	if err := jsonschema.Write(&schema, program.Schema, d, jsonschema.Options{Strict: strict}); err != nil {
		return nil, err
	}
	text := schema.String()
	if wrong {
		text = strings.ReplaceAll(text, "[AQgw]==", "[A-Z]==")
	}
	file := filepath.Join(folder, strings.NewReplacer("/", "-", ".sdp", "").Replace(path)+"-"+ir.FullName(d)+fmt.Sprint("-", strict)+".json")
	s := &subject{path + " " + ir.FullName(d), codec, random.New(program, seed), file, strict}
	return s, os.WriteFile(file, []byte(text), 0o666)
}

// text is a value's JSON, of five texts four with changes.
func (s *subject) text(d *damager) (string, error) {
	value, err := s.codec.Append(nil, s.values.Value(s.codec.Decl()), interp.ByteMode)
	if err != nil {
		// For a value that its limits refuse, the value of no particular content is taken.
		if value, err = s.codec.Append(nil, s.codec.Default(), interp.ByteMode); err != nil {
			return "", err
		}
	}
	var text bytes.Buffer
	if err := s.codec.WriteJSON(&text, interp.FromBytes(value), interp.Options{}); err != nil {
		return "", err
	}
	if d.rng.IntN(5) == 0 {
		return text.String(), nil
	}
	return d.text(parse(text.Bytes()), 1+d.rng.IntN(3)), nil
}

// accepts tells whether a text is one value, as `sdp convert` reads it, and else why not.
func (s *subject) accepts(text []byte) error {
	reader := interp.NewJSONReader(bytes.NewReader(text))
	reader.Strict = s.strict
	var out interp.Spool
	defer out.Close()
	if err := s.codec.ReadJSON(reader, &out, interp.ByteMode); err != nil {
		return err
	}
	return reader.End()
}
