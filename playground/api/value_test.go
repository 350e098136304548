package api_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/driver"
	"github.com/serial-data-protocol/sdp/playground/api"
)

// vector is a case of conformance/vectors, as far as it is about bytes of a value or JSON.
type vector struct {
	name               string
	Schema, Type, Mode string
	Bytes              json.RawMessage
	JSON               *string
	Result, Error      string
	Offset             int64
	Path               string
	Limits             map[string]int64
}

// vectors are the vectors of values in byte mode, in message mode and in JSON, that are bounded by
// no limits of their own.
func vectors(t *testing.T) (found []vector) {
	t.Helper()
	for _, folder := range []string{"valid", "invalid"} {
		err := filepath.WalkDir(filepath.Join(repository, "conformance/vectors", folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".json" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			v := vector{name: path}
			if err := json.Unmarshal(text, &v); err != nil {
				return err
			}
			isWhole := v.Mode == "bytes" || v.Mode == "message" || v.Mode == "json"
			if isWhole && v.Limits == nil && !bytes.HasPrefix(v.Bytes, []byte("[")) {
				found = append(found, v)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// digits are the bytes of a vector, of which some are JSON instead.
func (v *vector) digits(t *testing.T) string {
	t.Helper()
	var text string
	if len(v.Bytes) > 0 {
		if err := json.Unmarshal(v.Bytes, &text); err != nil {
			t.Fatalf("%s: %v", v.name, err)
		}
	}
	return strings.ReplaceAll(text, " ", "")
}

// vectorSchema is a schema of the vectors with all others beside it.
func vectorSchema(t *testing.T, name string) api.Schema {
	t.Helper()
	schema := api.Schema{Root: name + ".sdp", Files: map[string]string{}}
	paths, err := filepath.Glob(filepath.Join(repository, "conformance/schemas/*.sdp"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		schema.Files[filepath.Base(path)] = string(text)
	}
	return schema
}

// toolSays converts by the tool, in a folder. A refusal is its error.
func toolSays(t *testing.T, dir, schema, kind string, from, to driver.DataForm, input []byte) (string, error) {
	t.Helper()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, input, 0o666); err != nil {
		t.Fatal(err)
	}
	var problems bytes.Buffer
	tool := &driver.Tool{Out: &problems, Err: &problems}
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	err := tool.Convert(driver.ConvertOptions{
		Schema: filepath.Join(repository, "conformance/schemas", schema), Type: kind, From: from, To: to, In: in, Out: out,
	})
	text, _ := os.ReadFile(out)
	return string(text), err
}

func TestValuesOfVectorsAreTheTools(t *testing.T) {
	compiler := api.New(driver.Version)
	accepted, refused, dir := 0, 0, t.TempDir()
	for _, v := range vectors(t) {
		schema := vectorSchema(t, v.Schema)
		if !hasType(t, compiler, schema, v.Type) {
			continue // an inline alternative, of which no value stands alone
		}
		q := api.ValueQuestion{Schema: schema, Type: v.Type, Message: v.Mode == "message"}
		form := driver.FormBytes
		if q.Message {
			form = driver.FormMessage
		}
		if v.Mode == "json" {
			if v.JSON == nil || !isUTF8(*v.JSON) {
				continue // bytes that are no text
			}
			q.JSON = *v.JSON
			want, failed := toolSays(t, dir, schema.Root, v.Type, driver.FormJSON, form, []byte(q.JSON))
			got, err := compiler.Encode(q)
			if err != nil {
				t.Fatalf("%s: %v", v.name, err)
			}
			compareRefusals(t, v, got.Refusal, failed)
			if failed == nil && got.Hex != hex.EncodeToString([]byte(want)) {
				t.Errorf("%s: %s, and the tool makes %x", v.name, got.Hex, want)
			}
		} else {
			q.Hex = v.digits(t)
			input, err := hex.DecodeString(q.Hex)
			if err != nil {
				t.Fatalf("%s: %v", v.name, err)
			}
			want, failed := toolSays(t, dir, schema.Root, v.Type, form, driver.FormJSON, input)
			got, err := compiler.Decode(q)
			if err != nil {
				t.Fatalf("%s: %v", v.name, err)
			}
			compareRefusals(t, v, got.Refusal, failed)
			if failed == nil {
				compareValues(t, compiler, dir, v, q, got, want, form)
			}
		}
		if v.Result == "accept" {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < 200 || refused < 200 {
		t.Errorf("%d accepted and %d refused vectors were compared", accepted, refused)
	}
}

// hasType tells whether the page offers a type.
func hasType(t *testing.T, compiler *api.Compiler, schema api.Schema, name string) bool {
	t.Helper()
	checked, err := compiler.Check(api.CheckQuestion{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range checked.Types {
		if one.Name == name {
			return true
		}
	}
	return false
}

// compareRefusals holds a refusal against the vector and the tool.
func compareRefusals(t *testing.T, v vector, got *api.Refusal, tool error) {
	t.Helper()
	switch {
	case (got == nil) != (tool == nil):
		t.Errorf("%s: %+v, and the tool says %v", v.name, got, tool)
	case (got == nil) != (v.Result == "accept"):
		t.Errorf("%s: %+v, and the vector says %s", v.name, got, v.Result)
	case got == nil:
	case got.Name != v.Error || got.Path != v.Path && v.Mode != "json":
		t.Errorf("%s: %+v, and the vector says %s in %s", v.name, got, v.Error, v.Path)
	case v.Mode != "json" && got.Offset != v.Offset:
		t.Errorf("%s: at %d, and the vector says %d", v.name, got.Offset, v.Offset)
	case v.Mode != "json" && !strings.Contains(tool.Error(), got.Name):
		t.Errorf("%s: %s, and the tool says %v", v.name, got.Name, tool)
	case got.From < 0 && v.Mode == "json" && got.Offset >= 0:
		t.Errorf("%s: it is nowhere in the text", v.name)
	}
}

// compareValues holds JSON against the tool's, goes back to bytes, and looks at the spans.
func compareValues(t *testing.T, compiler *api.Compiler, dir string, v vector, q api.ValueQuestion, got *api.ValueResult, want string, form driver.DataForm) {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(got.JSON)); err != nil || compact.String() != strings.TrimSuffix(want, "\n") {
		t.Errorf("%s: %s, and the tool makes %s", v.name, got.JSON, want)
	}
	spansTile(t, v.name, got)
	wanted, failed := toolSays(t, dir, q.Schema.Root, v.Type, driver.FormJSON, form, []byte(got.JSON))
	q.JSON = got.JSON
	back, err := compiler.Encode(q)
	if err != nil {
		t.Errorf("%s: back: %v", v.name, err)
		return
	}
	if failed == nil && back.Hex != hex.EncodeToString([]byte(wanted)) || (failed == nil) != (back.Refusal == nil) {
		t.Errorf("%s: %s, and the tool makes %x", v.name, back.Hex, wanted)
	}
}

// spansTile finds bytes that belong to no span or to two, and pointers that lead nowhere.
func spansTile(t *testing.T, name string, v *api.ValueResult) {
	t.Helper()
	end := int64(0)
	var document any
	decoder := json.NewDecoder(strings.NewReader(v.JSON))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, s := range v.Spans {
		if s.At != end || s.Length <= 0 {
			t.Errorf("%s: a span of %d bytes at %d begins behind %d", name, s.Length, s.At, end)
		}
		end = s.At + int64(s.Length)
		if _, found := follow(document, s.Pointer); !found {
			t.Errorf("%s: %q leads nowhere in %s", name, s.Pointer, v.JSON)
		}
	}
	if end*2 != int64(len(v.Hex)) {
		t.Errorf("%s: the spans end at %d of %d", name, end, len(v.Hex)/2)
	}
}

// follow goes where a pointer leads in a document [RFC 6901].
func follow(document any, pointer string) (any, bool) {
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch around := document.(type) {
		case map[string]any:
			inner, found := around[step]
			if !found {
				return nil, false
			}
			document = inner
		case []any:
			index, err := strconv.Atoi(step)
			if err != nil || index >= len(around) {
				return nil, false
			}
			document = around[index]
		default:
			return nil, false
		}
	}
	return document, true
}

func TestSpansSayWhatBytesAre(t *testing.T) {
	schema := api.Schema{Root: "a.sdp", Files: map[string]string{"a.sdp": `package a;
@id(7) message M { kind: ?K, by: map<str, []E>, part: U }
enum K: u8 { Zero = 0, One = 1 }
struct E { "n": u8 }
union U { Cut { @name(json = "~/") from: u16 } = 2 }
`}}
	schema.Files["a.sdp"] = strings.ReplaceAll(schema.Files["a.sdp"], `"n"`, "n")
	got, err := api.New("test").Encode(api.ValueQuestion{
		Schema: schema, Type: "M", Message: true, JSON: `{"part": {"Cut": {"~/": 258}}, "kind": "One", "by": {"k/": [{"n": 9}]}}`,
	})
	if err != nil || got.Refusal != nil {
		t.Fatalf("%+v, %v", got.Refusal, err)
	}
	var lines []string
	for _, s := range got.Spans {
		lines = append(lines, strings.Join([]string{got.Hex[2*s.At : 2*(s.At+int64(s.Length))], s.Pointer, s.Part, s.Type, s.Path, s.Text}, " "))
	}
	want := `53445032  magic   SDP2
0700  type id   7
18000000  length   24
01 /kind presence optional kind present
01 /kind value K kind "One"
01000000 /by count map by 1
02000000 /by/k~1 length str by[0].key 2
6b2f /by/k~1 text str by[0].key "k/"
01000000 /by/k~1 count list by[0].value 1
09 /by/k~1/0/n value u8 by[0].value[0].n 9
02 /part tag U part 2 Cut
02000000 /part length U part 2
0201 /part/Cut/~0~1 value u16 part.Cut.from 258`
	if strings.Join(lines, "\n") != want {
		t.Errorf("%s\nwant\n%s", strings.Join(lines, "\n"), want)
	}
}

func TestRefusalsOfTextAreWhereItsFaultIs(t *testing.T) {
	schema := api.Schema{Root: "a.sdp", Files: map[string]string{"a.sdp": "package a; struct S { name: @max(3) str, kind: K } enum K: u8 { Audio = 1 }"}}
	for text, want := range map[string]api.Refusal{
		"{\"name\": \"\U0001f600\", \"kind\": \"Audoi\"}": {Name: "json_invalid", Offset: 25, From: 23, Path: "kind", Help: `did you mean "Audio"?`},
		"{\n \"name\": \"much\",\n \"kind\": 1}":          {Name: "limit_max", Offset: -1, From: 11, Path: "name"},
		`{"name": "", "kind": 1}}`:                        {Name: "json_invalid", Offset: 23, From: 23},
		``:                                                {Name: "json_invalid", Offset: 0, From: 0},
	} {
		got, err := api.New("test").Encode(api.ValueQuestion{Schema: schema, Type: "S", JSON: text})
		if err != nil || got.Refusal == nil {
			t.Fatalf("%s: %+v, %v", text, got, err)
		}
		told := *got.Refusal
		told.Detail = ""
		if told != want {
			t.Errorf("%s: %+v, not %+v", text, *got.Refusal, want)
		}
	}
}

// Every type of every schema has a sample that is a value of it.
func TestSamplesAreValues(t *testing.T) {
	schemas := []api.Schema{}
	for _, example := range all(t) {
		schemas = append(schemas, example.Schema)
	}
	for name := range vectorSchema(t, "").Files {
		schemas = append(schemas, vectorSchema(t, strings.TrimSuffix(name, ".sdp")))
	}
	compiler, sampled := api.New("test"), 0
	for _, schema := range schemas {
		checked, err := compiler.Check(api.CheckQuestion{Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range checked.Types {
			sample, err := compiler.Sample(api.SampleQuestion{Schema: schema, Type: one.Name})
			if err != nil {
				t.Fatalf("%s of %s: %v", one.Name, schema.Root, err)
			}
			encoded, err := compiler.Encode(api.ValueQuestion{Schema: schema, Type: one.Name, JSON: sample.JSON})
			if err != nil || encoded.Refusal != nil {
				t.Errorf("%s of %s: %s is refused: %+v, %v", one.Name, schema.Root, sample.JSON, encoded, err)
				continue
			}
			spansTile(t, schema.Root+" "+one.Name, encoded)
			sampled++
		}
	}
	if sampled < 200 {
		t.Errorf("only %d types were sampled", sampled)
	}
}
