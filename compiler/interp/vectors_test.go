package interp_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// vector is a case of conformance/vectors, as far as it concerns this package.
type vector struct {
	Schema, Type, Mode, Result string
	Limits                     map[string]int64
	Bytes, Reencoded, Encoding *vectorBytes
	Value                      json.RawMessage
	JSON                       *string
	JSONHex                    *vectorBytes `json:"json_hex"`
	Size                       *int
	Used                       int
	AcceptedPrefixes           []int  `json:"accepted_prefixes"`
	WrittenBy                  *maker `json:"written_by"`
	refused
	ValueRefusal *refused `json:"value_refusal"`
	Reads        []vectorRead
	Segments     []string
	Cumulative   []string
	Layout       string
}

type maker struct {
	Schema, Type string
	Value        json.RawMessage
}

type refused struct {
	Error  string
	Offset int64
	Path   string
}

type vectorRead struct {
	Result, Type string
	Value        json.RawMessage
	refused
}

// vectorBytes is hexadecimal text, or a list of such texts and of repetitions.
type vectorBytes []byte

func (b *vectorBytes) UnmarshalJSON(text []byte) error {
	var part struct {
		Repeat string
		Times  int
	}
	var parts []json.RawMessage
	var digits string
	switch {
	case json.Unmarshal(text, &digits) == nil:
	case json.Unmarshal(text, &parts) == nil:
		for _, p := range parts {
			if err := b.UnmarshalJSON(p); err != nil {
				return err
			}
		}
		return nil
	default:
		if err := json.Unmarshal(text, &part); err != nil {
			return err
		}
		digits = strings.Repeat(part.Repeat, part.Times)
	}
	more, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	*b = append(*b, more...)
	return err
}

const conformance = "../../conformance"

// vectorSchemas compiles the schemas of the vectors, by name.
func vectorSchemas(t *testing.T) map[string]*plan.Program {
	t.Helper()
	files := check.Memory{}
	paths, err := filepath.Glob(filepath.Join(conformance, "schemas/*.sdp"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(text)
	}
	programs := map[string]*plan.Program{}
	for name := range files {
		schema, problems := check.Program(files, []string{name}, func(*syntax.File) string { return "" })
		if schema == nil {
			t.Fatalf("%s: %v", name, problems.Sorted()[0])
		}
		programs[strings.TrimSuffix(name, ".sdp")] = plan.New(schema)
	}
	return programs
}

func TestVectorsOfTheSpecificationHold(t *testing.T) {
	programs := vectorSchemas(t)
	ran := 0
	err := filepath.WalkDir(filepath.Join(conformance, "vectors"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == "mxp" {
			return fs.SkipDir // frames, which have no schema
		}
		if err != nil || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var v vector
		if err := json.Unmarshal(text, &v); err != nil {
			return err
		}
		ran++
		t.Run(strings.TrimPrefix(path, conformance), func(t *testing.T) { v.run(t, programs) })
		return nil
	})
	if err != nil || ran < 300 {
		t.Fatalf("%d vectors ran, %v", ran, err)
	}
}

func (v *vector) run(t *testing.T, programs map[string]*plan.Program) {
	program := programs[v.Schema]
	switch v.Mode {
	case "bytes", "exact", "prefix", "message":
		v.decode(t, programs)
	case "stream", "dispatch":
		v.stream(t, program)
	case "json", "encode", "encode_message":
		v.encode(t, program)
	case "layout":
		if got := plan.Layout(findDecl(t, program, v.Type)); got != v.Layout {
			t.Errorf("layout:\n%swant:\n%s", got, v.Layout)
		}
	case "fingerprints":
		v.fingerprints(t, program)
	default:
		t.Errorf("unknown mode %q", v.Mode)
	}
}

func (v *vector) fingerprints(t *testing.T, program *plan.Program) {
	got := plan.FingerprintsOf(findDecl(t, program, v.Type))
	text := func(prints []uint64) []string {
		var texts []string
		for _, p := range prints {
			texts = append(texts, hex.EncodeToString([]byte{
				byte(p >> 56), byte(p >> 48), byte(p >> 40), byte(p >> 32), byte(p >> 24), byte(p >> 16), byte(p >> 8), byte(p),
			}))
		}
		return texts
	}
	if !slices.Equal(text(got.Segments), v.Segments) || !slices.Equal(text(got.Cumulative), v.Cumulative) {
		t.Errorf("%x, want %v and %v", got, v.Segments, v.Cumulative)
	}
}

// findDecl finds a type by its name, an inline alternative's, or one of an
// import.
func findDecl(t *testing.T, program *plan.Program, name string) ir.Decl {
	t.Helper()
	root := program.Schema.Roots[0]
	packages := map[string]*ir.Package{"": root}
	for _, i := range root.Imports {
		packages[i.Name+"."] = i.Package
	}
	for prefix, pkg := range packages {
		for _, b := range program.Bodies(pkg) {
			if prefix+b.Decl.DeclName() == name {
				return b.Decl
			}
		}
	}
	t.Fatalf("there is no type %s", name)
	return nil
}

func vectorCodec(t *testing.T, program *plan.Program, name string) *interp.Codec {
	t.Helper()
	c, err := interp.New(program, findDecl(t, program, name))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (v *vector) options() interp.Options {
	limits := interp.DefaultLimits()
	for name, n := range v.Limits {
		switch name {
		case "message_bytes":
			limits.MessageBytes = n
		case "elements":
			limits.Elements = n
		case "depth":
			limits.Depth = int(n)
		case "memory_bytes":
			limits.MemoryBytes = n
		}
	}
	opts := interp.Options{Limits: &limits, Exact: v.Mode == "exact", Prefix: v.Mode == "prefix"}
	if v.Mode == "message" {
		opts.Mode = interp.MessageMode
	}
	return opts
}

func (r *refused) check(t *testing.T, err error, offset int64) {
	t.Helper()
	var got *interp.Refusal
	if !errors.As(err, &got) || got.Kind.String() != r.Error || got.Offset != offset || got.Path != r.Path {
		t.Errorf("error = %v, want %s at byte %d in %q", err, r.Error, offset, r.Path)
	}
}

func (v *vector) decode(t *testing.T, programs map[string]*plan.Program) {
	program, opts := programs[v.Schema], v.options()
	c := vectorCodec(t, program, v.Type)
	if by := v.WrittenBy; by != nil {
		written, err := vectorCodec(t, programs[by.Schema], by.Type).ParseJSON(by.Value, interp.ByteMode)
		if err != nil || !bytes.Equal(written, *v.Bytes) {
			t.Errorf("written %x, %v, want %x", written, err, *v.Bytes)
		}
	}
	value, n, err := c.DecodePrefix(*v.Bytes, opts)
	if v.Result == "reject" {
		v.check(t, err, v.Offset)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if opts.Prefix && n != v.Used {
		t.Errorf("%d bytes are used, want %d", n, v.Used)
	}
	want := (*v.Bytes)[:n]
	if v.Reencoded != nil {
		want = *v.Reencoded
	}
	again, err := c.Append(nil, value, opts.Mode)
	var text bytes.Buffer
	textErr := c.WriteJSON(&text, interp.FromBytes(*v.Bytes), opts)
	if v.ValueRefusal != nil {
		v.ValueRefusal.check(t, err, -1)
		v.ValueRefusal.check(t, textErr, -1)
		return
	}
	if err != nil || !bytes.Equal(again, want) {
		t.Errorf("re-encoded %x, %v, want %x", again, err, want)
	}
	checkText(t, c, text.Bytes(), textErr, v.Value)
	v.prefixes(t, c, opts)
}

func checkText(t *testing.T, c *interp.Codec, text []byte, err error, want json.RawMessage) {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, want); err != nil {
		t.Fatal(err)
	}
	if err != nil || !bytes.Equal(text, compact.Bytes()) {
		t.Errorf("%s, %v, want %s", text, err, compact.Bytes())
	}
	parsed, err := c.ParseJSON(want, interp.ByteMode)
	if err != nil {
		t.Error(err)
	}
	var again bytes.Buffer
	if err := c.WriteJSON(&again, interp.FromBytes(parsed), interp.Options{}); err != nil || !bytes.Equal(again.Bytes(), text) {
		t.Errorf("%s comes back as %s, %v", text, again.Bytes(), err)
	}
}

func (v *vector) prefixes(t *testing.T, c *interp.Codec, opts interp.Options) {
	if v.Mode != "bytes" && v.Mode != "message" {
		return
	}
	for n := range len(*v.Bytes) {
		_, err := c.Decode((*v.Bytes)[:n], opts)
		if accepted := slices.Contains(v.AcceptedPrefixes, n); (err == nil) != accepted {
			t.Errorf("%d bytes: %v, and accepted should be %t", n, err, accepted)
		}
	}
}

func (v *vector) encode(t *testing.T, program *plan.Program) {
	c := vectorCodec(t, program, v.Type)
	mode := interp.ByteMode
	if v.Mode == "encode_message" {
		mode = interp.MessageMode
	}
	var text []byte
	if v.JSONHex != nil {
		text = *v.JSONHex
	} else {
		text = []byte(*v.JSON)
	}
	encoded, err := c.ParseJSON(text, mode)
	if v.Error == interp.ErrBufferTooSmall.String() {
		if err != nil || len(encoded) <= *v.Size {
			t.Errorf("%x, %v fits %d bytes", encoded, err, *v.Size)
		}
		return
	}
	if v.Result == "reject" {
		v.check(t, err, v.Offset)
		return
	}
	if err != nil || !bytes.Equal(encoded, *v.Encoding) {
		t.Fatalf("%x, %v, want %x", encoded, err, *v.Encoding)
	}
	if v.Value != nil {
		checkText(t, c, jsonOf(t, c, encoded), nil, v.Value)
	}
}

// stream reads all of a stream. A dispatcher is held against its first read.
func (v *vector) stream(t *testing.T, program *plan.Program) {
	s := interp.NewStream(program, program.Schema.Roots[0], bytes.NewReader(*v.Bytes), v.options())
	reads := v.Reads
	if v.Mode == "dispatch" {
		reads = []vectorRead{{v.Result, v.Type, v.Value, streamed(v.refused, *v.Bytes)}}
	}
	for i, want := range reads {
		d, err := s.Next()
		var text bytes.Buffer
		if err == nil {
			jw := interp.NewJSONWriter(&text)
			err = errors.Join(s.Walk(interp.Options{}, jw.Visit), jw.Flush())
		}
		switch {
		case want.Result == "end":
			if !errors.Is(err, io.EOF) {
				t.Errorf("read %d: %v, want the end", i, err)
			}
		case want.Result == "reject":
			want.check(t, err, want.Offset)
		case err != nil:
			t.Fatalf("read %d: %v", i, err)
		case want.Type != "" && d.DeclName() != want.Type:
			t.Errorf("read %d: %s, want %s", i, d.DeclName(), want.Type)
		default:
			checkText(t, vectorCodec(t, program, d.DeclName()), text.Bytes(), nil, want.Value)
		}
	}
}

// streamed is a stream's report at the end of a slice, where a dispatcher of the slice reports
// want: of an incomplete payload it reports the end of the source, also where it only passes over
// it.
func streamed(want refused, slice []byte) refused {
	switch {
	case want.Error == interp.ErrPayloadLength.String():
	case want.Error == interp.ErrTypeIDUnknown.String() &&
		uint64(binary.LittleEndian.Uint32(slice[6:])) > uint64(len(slice)-interp.HeaderBytes):
	default:
		return want
	}
	want.Error, want.Offset = interp.ErrTruncated.String(), 6
	return want
}
