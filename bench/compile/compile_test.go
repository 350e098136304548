package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/serial-data-protocol/sdp/bench/go/report"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

const root = "../.."

func TestDocumentsShowTheResults(t *testing.T) {
	all, err := readResults(filepath.Join(root, resultsFolder))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range pageParts {
		text, err := os.ReadFile(filepath.Join(root, s.page))
		if err != nil {
			t.Fatal(err)
		}
		want, err := report.Stamped(string(text), s.name, s.table(all))
		if err != nil {
			t.Fatal(err)
		}
		if want != string(text) {
			t.Errorf("the tables of %s differ from %s; `bench/compile/bench.sh -stamp` writes them", s.page, resultsFolder)
		}
	}
}

func TestResultsAreOfTheirSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("results.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, resultsFolder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("there are results %q, %v", files, err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		value, err := jsonschema.UnmarshalJSON(file)
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The peers are given what SDP is given: each declaration, and each field of it.
func TestPeersHaveEveryDeclarationAndField(t *testing.T) {
	all, err := schemas(root, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		proto, fbs := written(t, s)
		for _, p := range s.resolved.Packages {
			for _, d := range p.Decls {
				for _, text := range []string{proto, fbs} {
					if !strings.Contains(text, " "+d.DeclName()+" ") {
						t.Errorf("%s: a peer has no %s", s.name, d.DeclName())
					}
				}
				fields := ir.FieldsOf(d)
				if n := strings.Count(body(proto, "message "+d.DeclName()+" {"), ";"); len(fields) > 0 && n != len(fields) {
					t.Errorf("%s: %s has %d fields, and %d in Protocol Buffers", s.name, d.DeclName(), len(fields), n)
				}
				if n := strings.Count(body(fbs, "table "+d.DeclName()+" {"), ";"); len(fields) > 0 && n != len(fields) {
					t.Errorf("%s: %s has %d fields, and %d in FlatBuffers", s.name, d.DeclName(), len(fields), n)
				}
			}
		}
	}
}

// written is a schema as the peers have it.
func written(t *testing.T, s *schema) (proto, fbs string) {
	t.Helper()
	folder := t.TempDir()
	names, err := s.writeProto(folder, "none")
	if err != nil {
		t.Fatal(err)
	}
	path, err := s.writeFbs(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, filepath.Base(path)) {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".fbs" {
			fbs = string(text)
		} else {
			proto += string(text)
		}
	}
	return proto, fbs
}

// body is what stands between a line that begins a declaration and its end.
func body(text, head string) string {
	_, rest, _ := strings.Cut(text, head)
	before, _, _ := strings.Cut(rest, "\n}")
	return before
}

func TestRatiosAreThoseOfRounds(t *testing.T) {
	got := ratio(&buildRecord{Seconds: []float64{2, 9, 4}}, &buildRecord{Seconds: []float64{1, 3, 4}})
	if want := (report.Interval{Median: 2, Low: 1, High: 3, Samples: 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for want, values := range map[string][]float64{"2.00 (1.00 to 3.00)": {3, 1, 2}, "4.00": {4}} {
		if got := spread(values); got != want {
			t.Errorf("the table has %q, want %q", got, want)
		}
	}
}

func TestTargetsAreMissedBeyondTheirLimit(t *testing.T) {
	limited := target{"", "go", "flat100", sdpEverything, "build", timesAsLong, 0.9}
	for _, c := range []struct {
		seconds float64
		want    string
	}{{8, "0.80 × (once) ✓"}, {9.5, "0.95 × (once) ✗ missed"}} {
		made := func(codec string, seconds float64) codeRecord {
			return codeRecord{Codec: codec, Builds: []buildRecord{{"build", []float64{seconds}, []float64{1}}}}
		}
		r := &results{Language: "go", Schema: "flat100", Messages: 100, Code: []codeRecord{made(sdpEverything, c.seconds), made(goPeer, 10)}}
		if got := limited.judge([]*results{r}); got != c.want {
			t.Errorf("%v s beside 10: %q, want %q", c.seconds, got, c.want)
		}
	}
	if got := limited.judge(nil); got != "not measured" {
		t.Errorf("without results it is %q", got)
	}
}
