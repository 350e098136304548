package check_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// schemaOf compiles files that must be fine; the first is "t.sdp".
func schemaOf(t *testing.T, text string, others ...string) *ir.Schema {
	t.Helper()
	memory := check.Memory{"t.sdp": text}
	for i := 0; i < len(others); i += 2 {
		memory[others[i]] = others[i+1]
	}
	schema, problems := compile(memory, "t.sdp")
	if schema == nil {
		t.Fatalf("refused:\n%s", render(t, problems, "t.sdp"))
	}
	return schema
}

func packageOf(t *testing.T, text string, others ...string) *ir.Package {
	t.Helper()
	return schemaOf(t, text, others...).Roots[0]
}

// structNamed and messageNamed find a declaration of a package.
func structNamed(t *testing.T, p *ir.Package, name string) *ir.Struct {
	t.Helper()
	d, ok := declNamed(p, name).(*ir.Struct)
	if !ok {
		t.Fatalf("there is no struct %s", name)
	}
	return d
}

func messageNamed(t *testing.T, p *ir.Package, name string) *ir.Message {
	t.Helper()
	d, ok := declNamed(p, name).(*ir.Message)
	if !ok {
		t.Fatalf("there is no message %s", name)
	}
	return d
}

func declNamed(p *ir.Package, name string) ir.Decl {
	for _, d := range p.Decls {
		if d.DeclName() == name {
			return d
		}
	}
	return nil
}

// spell renders a type: prefix notation, with bounds, aliases left out.
func spell(t *ir.Type) string {
	if t == nil {
		return "nothing"
	}
	s := t.Kind.String()
	switch {
	case t.Kind == ir.ArrayKind:
		s += fmt.Sprint(t.N)
	case t.LenBytes > 0:
		s += fmt.Sprint(t.LenBytes)
	case t.Decl != nil:
		s += " " + ir.FullName(t.Decl)
	}
	if t.Max != nil {
		s += fmt.Sprintf("<=%d", *t.Max)
	}
	if t.Boxed {
		s = "box " + s
	}
	for _, part := range []*ir.Type{t.Key, t.Elem} {
		if part != nil {
			s += " " + spell(part)
		}
	}
	return s
}

func TestTypesResolve(t *testing.T) {
	const declarations = `package p;
		import "o.sdp" as o;
		const N: u16 = 3;
		type A = u8;
		type Name = @len(u8) str;
		type Maybe = ?str;
		type Grid = [N][2]o.F;
		enum E: i16 { X = -1 }
		struct S { a: u8 }
		message M { a: u8 }
		union U { X = 1 }
		`
	const other = `package q.o; type F = f32; const N: i8 = 7; struct T { a: u8 }`
	for spelled, want := range map[string]string{
		"bool": "bool", "u64": "u64", "i8": "i8", "f64": "f64",
		"timestamp": "timestamp", "duration": "duration", "uuid": "uuid",
		"str": "str4", "string": "str4", "bytes": "bytes4", "[]u8": "bytes4", "[]A": "bytes4", "[]Box<u8>": "bytes4",
		"[4]u8": "array4 u8", "[]i8": "list4 i8", "[][]f32": "list4 list4 f32",
		"[N]u8": "array3 u8", "[o.N]u8": "array7 u8", "[0x10]u8": "array16 u8",
		"?u8": "optional u8", "Option<u8>": "optional u8", "Box<S>": "box struct p.S", "?Box<S>": "optional box struct p.S",
		"map<str, ?u8>": "map4 str4 optional u8", "map<E, []S>": "map4 enum p.E list4 struct p.S",
		"E": "enum p.E", "S": "struct p.S", "M": "message p.M", "U": "union p.U", "o.T": "struct q.o.T", "Grid": "array3 array2 f32",
		"Name": "str1", "[]Name": "list4 str1", "@max(5) Name": "str1<=5", "@len(u16) Maybe": "optional str2",
		"@len(u8) []@len(u16) @max(9) str":                  "list1 str2<=9",
		"map<@len(u8) str, @max(o.N) bytes>":                "map4 str1 bytes4<=7",
		"@max(255) @len(u8) map<u8, u8>":                    "map1<=255 u8 u8",
		"?@len(u8) str":                                     "optional str1",
		"@len(u8) ?Box<str>":                                "optional box str1",
		"[]?[]?bool":                                        "list4 optional list4 optional bool",
		"Option<Box<Box<[2]Option<map<bool, timestamp>>>>>": "optional box array2 optional map4 bool timestamp",
	} {
		p := packageOf(t, declarations+"struct Holder { field: "+spelled+" }", "o.sdp", other)
		if got := spell(structNamed(t, p, "Holder").Fields[0].Type); got != want {
			t.Errorf("%s is %s, want %s", spelled, got, want)
		}
	}
}

func TestFieldAttributeBindsToTheOutermostLength(t *testing.T) {
	p := packageOf(t, `type Names = []str; type Maybe = ?Names;
		struct S {
			@len(u8) a: ?str,
			@max(3) b: [][]u8,
			@len(u16) @max(7) c: Maybe,
			@len(u8) d: Option<Box<map<str, u8>>>,
			@max(2) e: []@max(4) str,
		}`)
	var got []string
	for _, f := range structNamed(t, p, "S").Fields {
		got = append(got, spell(f.Type))
	}
	want := []string{"optional str1", "list4<=3 bytes4", "optional list2<=7 str4", "optional box map1 str4 u8", "list4<=2 str4<=4"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("fields are %q, want %q", got, want)
	}
	if alias := p.Aliases[0].Type; alias.LenBytes != 4 || alias.Max != nil {
		t.Errorf("binding to a use changed the alias: %s", spell(alias))
	}
}

func TestTypeKeepsTheAliasThatSpelledIt(t *testing.T) {
	p := packageOf(t, `type A = B; type B = []u8; struct S { a: A, b: B, c: []A }`)
	fields := structNamed(t, p, "S").Fields
	for i, want := range []string{"A", "B"} {
		if got := fields[i].Type.Alias; got == nil || got.Name != want {
			t.Errorf("field %s was spelled by %v, want %s", fields[i].Name, got, want)
		}
	}
	if a := p.Aliases[0]; a.Type.Alias != p.Aliases[1] {
		t.Error("alias A does not know that it is spelled by B")
	}
	if fields[2].Type.Elem.Alias != p.Aliases[0] {
		t.Error("the element does not know that it is spelled by A")
	}
}

func TestLegacyFileCompilesAsReleaseTwo(t *testing.T) {
	schema, problems := compile(folder("../testdata/valid"), "legacy-0.2.0.sdp")
	if schema == nil {
		t.Fatalf("refused:\n%s", render(t, problems, "legacy"))
	}
	p := schema.Roots[0]
	if !p.Legacy || p.Name != "legacy_0_2_0" {
		t.Errorf("legacy %v, name %q", p.Legacy, p.Name)
	}
	for i, d := range p.Decls {
		if id := ir.IDOf(d); id == nil || int(id.Value) != i+1 || !id.Positional {
			t.Errorf("struct %s has id %+v, want position %d", d.DeclName(), id, i+1)
		}
	}
	plugin := structNamed(t, p, "Plugin")
	if got := []string(plugin.Doc); !reflect.DeepEqual(got, []string{"A plugin of release 0.2.0."}) {
		t.Errorf("documentation %q", got)
	}
	for _, f := range plugin.Fields[3:] {
		want := map[string]string{
			"parent": "optional box struct legacy_0_2_0.Plugin",
			"twice":  "optional u32", "thrice": "optional u8",
		}[f.Name]
		if got := spell(f.Type); got != want {
			t.Errorf("%s is %s, want %s", f.Name, got, want)
		}
	}
	if got := spell(structNamed(t, p, "message").Fields[0].Type); got != "struct legacy_0_2_0.uuid" {
		t.Errorf("a declared uuid does not shadow the built-in: %s", got)
	}
}

func TestAnythingNewEndsLegacy(t *testing.T) {
	const legacy = "struct A { a: []?Box<u8>, b: string }\n"
	if !packageOf(t, legacy).Legacy {
		t.Fatal("a legacy file is not seen as one")
	}
	for _, text := range []string{
		"package t; " + legacy,
		`import "o.sdp"; ` + legacy,
		legacy + "const X: u8 = 1;",
		legacy + "type X = u8;",
		legacy + "enum X: u8 { A = 1 }",
		legacy + "message X { a: u8 }",
		legacy + "union X { A = 1 }",
		legacy + "service X { }",
		legacy + "reserved 1;",
		legacy + "@deprecated(\"old\") struct X { a: u8 }",
		legacy + "struct X { @len(u8) a: str }",
		legacy + "struct X { a: []@len(u8) str }",
		legacy + "struct X { a: [2]u8 }",
		legacy + "struct X { a: map<u8, u8> }",
		legacy + "struct X { a: []bytes }",
		legacy + "struct X { a: ?timestamp }",
		legacy + "struct X { a: Box<duration> }",
		legacy + "struct X { a: uuid }",
	} {
		p := packageOf(t, text, "o.sdp", "struct O { a: u8 }")
		if p.Legacy {
			t.Errorf("still legacy:\n%s", text)
		}
		if id := structNamed(t, p, "A").ID; id != nil {
			t.Errorf("struct A has id %d in a new file:\n%s", id.Value, text)
		}
	}
}

func TestConstantsEvaluate(t *testing.T) {
	p := packageOf(t, `
		const A: u64 = 0xFFFF_FFFF_FFFF_FFFF;
		const B: i64 = -9223372036854775808;
		const C: f32 = D;
		const D: u8 = 0b1111;
		const E: str = F;
		const F: str = "\u{2603}\0";
		const G: bool = true;
		const H: f64 = -0.0;
		const I: f32 = 0.1;
		const J: i8 = K; const K: i64 = -128;
		const L: Level = 1e3; type Level = f64;
		const M: f64 = -0;
		const N: f32 = 1.000_000_059_604_644_775_390_626;
		const O: f32 = 0x8000_0080_0000_0001;
		const P: f64 = I;`)
	got := map[string]ir.Value{}
	for _, c := range p.Consts {
		c.Value.Const = nil
		got[c.Name] = c.Value
	}
	// An integer has one zero, a float literal two.
	if m := got["M"]; m.Float != 0 || fmt.Sprint(m.Float) != "0" {
		t.Errorf("M is %v, want 0", m.Float)
	}
	delete(got, "M")
	if h := got["H"]; h.Float != 0 || fmt.Sprint(h.Float) != "-0" {
		t.Errorf("H is %v, want -0", h.Float)
	}
	delete(got, "H")
	want := map[string]ir.Value{
		"A": {Kind: ir.IntValue, Int: -1},
		"B": {Kind: ir.IntValue, Int: -1 << 63},
		"C": {Kind: ir.FloatValue, Float: 15},
		"D": {Kind: ir.IntValue, Int: 15},
		"E": {Kind: ir.StrValue, Str: "☃\x00"},
		"F": {Kind: ir.StrValue, Str: "☃\x00"},
		"G": {Kind: ir.BoolValue, Bool: true},
		"I": {Kind: ir.FloatValue, Float: float64(float32(0.1))},
		"J": {Kind: ir.IntValue, Int: -128},
		"K": {Kind: ir.IntValue, Int: -128},
		"L": {Kind: ir.FloatValue, Float: 1000},
		"N": {Kind: ir.FloatValue, Float: 1 + 0x1p-23}, // by way of a f64 it would be 1
		"O": {Kind: ir.FloatValue, Float: 0x1.000002p63},
		"P": {Kind: ir.FloatValue, Float: float64(float32(0.1))},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("constants are\n%+v\nwant\n%+v", got, want)
	}
}

func TestDefaultsEvaluate(t *testing.T) {
	p := packageOf(t, `import "o.sdp"; enum Kind: u64 { Effect = 0, Big = 0xFFFF_FFFF_FFFF_FFFF } type K = Kind;
		message M { id: u8,
			@since(2) a: Kind = Big, @since(2) b: ?Kind = Kind.Big, @since(2) c: o.Unit = o.Unit.Hertz, @since(2) d: K = K.Effect,
			@since(3) e: uuid = "00112233-4455-6677-8899-AABBCCDDEEFF", @since(3) f: ?duration = -1, @since(3) g: str = o.NAME, @since(3) h: u8,
		}`, "o.sdp", `enum Unit: u8 { Hertz = 9 } const NAME: str = "x";`)
	m := messageNamed(t, p, "M")
	type fact struct {
		since int
		value string
	}
	var got []fact
	for _, f := range m.Fields {
		fact := fact{since: f.Since}
		if v := f.Default; v != nil && v.Member != nil {
			fact.value = fmt.Sprintf("member %s %d", v.Member.Name, v.Int)
		} else if v != nil {
			fact.value = fmt.Sprintf("%d %q", v.Int, v.Str)
		}
		got = append(got, fact)
	}
	want := []fact{
		{1, ""}, {2, "member Big -1"}, {2, "member Big -1"}, {2, "member Hertz 9"}, {2, "member Effect 0"},
		{3, `0 "00112233-4455-6677-8899-aabbccddeeff"`}, {3, `-1 ""`}, {3, `0 "x"`}, {3, ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("defaults are %+v, want %+v", got, want)
	}
}

func TestDeclarationsCarryWhatTheirTextSays(t *testing.T) {
	p := packageOf(t, `//! File.
		@allow(L0102, "by hand") @x.p(1)
		package a.b;
		/// One.
		///  Two.
		@id(7) @closed @deprecated("old") @name(go = "Go", json = "j") @allow("L0101", "why") @x.y.z("s", n = -1, f = 1.5, b = true, c = LIMIT, o = other.name) @x.y.z
		union U {
			/// Alternative.
			A = 1,
			B { /// Not documentation.
				@deprecated("f") x: u8 } = 255,
			reserved 4, 7..9, "Old", Older;
		}
		const LIMIT: u8 = 9;
		@keep_unknown message M { a: u8 }
		service S { @idempotent call c(U) -> M = 1; stream s(stream U) -> M = 2; event e(U) = 3; }
		reserved 5, 10..20;`)
	u := p.Decls[0].(*ir.Union)
	if !reflect.DeepEqual(p.Doc, ir.Doc{"File."}) || p.Waivers[0].Code != "L0102" || p.Custom[0].Name != "x.p" || p.Name != "a.b" {
		t.Errorf("package: %q %+v %+v %q", p.Doc, p.Waivers, p.Custom, p.Name)
	}
	if !reflect.DeepEqual(u.Doc, ir.Doc{"One.", " Two."}) || u.ID.Value != 7 || u.ID.Positional || !u.Closed || *u.Deprecated != "old" {
		t.Errorf("union: %q %+v %v", u.Doc, u.ID, u.Closed)
	}
	if !reflect.DeepEqual(u.Names, map[string]string{"go": "Go", "json": "j"}) || u.Waivers[0].Reason != "why" || u.Waivers[0].Code != "L0101" {
		t.Errorf("union: %v %+v", u.Names, u.Waivers)
	}
	args := ""
	for _, a := range u.Custom[0].Args {
		args += fmt.Sprintf("%s=%v%v%v%v ", a.Name, a.Value.Int, a.Value.Float, a.Value.Bool, a.Value.Str)
	}
	if args != "=00falses n=-10false f=01.5false b=00true c=90false o=00falseother.name " || len(u.Custom) != 2 {
		t.Errorf("custom arguments %q of %d attributes", args, len(u.Custom))
	}
	if want := (ir.Reserved{Numbers: []ir.Range{{First: 4, Last: 4}, {First: 7, Last: 9}}, Names: []string{"Old", "Older"}}); !reflect.DeepEqual(u.Reserved, want) {
		t.Errorf("reserved %+v", u.Reserved)
	}
	if !reflect.DeepEqual(u.Alternatives[0].Doc, ir.Doc{"Alternative."}) || u.Alternatives[0].Type != nil {
		t.Errorf("alternative %+v", u.Alternatives[0])
	}
	b := u.Alternatives[1]
	if b.Tag != 255 || b.Inline.Name != "U.B" || b.Inline.Owner != u || b.Type.Decl != ir.Decl(b.Inline) || b.Inline.Fields[0].Doc != nil || *b.Inline.Fields[0].Deprecated != "f" {
		t.Errorf("inline alternative %+v", b)
	}
	if !p.Decls[1].(*ir.Message).KeepUnknown || !reflect.DeepEqual(p.ReservedIDs, []ir.Range{{First: 5, Last: 5}, {First: 10, Last: 20}}) {
		t.Errorf("message %+v, reserved %v", p.Decls[1], p.ReservedIDs)
	}
	methods := p.Services[0].Methods
	if m := methods[0]; m.Kind != ir.Call || !m.Idempotent || m.Number != 1 || m.RequestFlows || m.ResponseFlows {
		t.Errorf("call %+v", m)
	}
	if m := methods[1]; m.Kind != ir.Stream || !m.RequestFlows || m.ResponseFlows || m.Response.Kind != ir.MessageKind {
		t.Errorf("stream %+v", m)
	}
	if m := methods[2]; m.Kind != ir.Event || m.Response != nil || m.Request.Kind != ir.UnionKind {
		t.Errorf("event %+v", m)
	}
	if u.Span.Text() != "U" || !strings.HasPrefix(u.Full.Text(), "@id(7)") || !strings.HasSuffix(u.Full.Text(), "}") {
		t.Errorf("places %q, %q", u.Span.Text(), u.Full.Text())
	}
}

func TestUsedIsWhatAnotherDeclarationMentions(t *testing.T) {
	schema := schemaOf(t, `package p;
		import "o.sdp"; import "q.sdp";
		const SIZE: u8 = 1; const LOOSE: u8 = 2;
		type Used = u8; type Loose = u8;
		struct Root { a: [SIZE]Used, leaf: Leaf, o: o.Other, self: ?Root }
		struct Leaf { a: u8 }
		struct Alone { again: []Alone }
		enum Kind: u8 { A = 1 }
		union Event { A = 1, B { e: ?Event } = 2 }`,
		"o.sdp", "package o; struct Other { a: u8 } struct Rest { a: u8 }", "q.sdp", "package q; struct X { a: u8 }")
	p := schema.Roots[0]
	used := map[string]bool{}
	for _, pkg := range schema.Packages {
		for _, c := range pkg.Consts {
			used[c.Name] = c.Used
		}
		for _, a := range pkg.Aliases {
			used[a.Name] = a.Used
		}
		for _, d := range pkg.Decls {
			used[d.DeclName()] = reflect.ValueOf(d).Elem().FieldByName("Used").Bool()
		}
	}
	for _, i := range p.Imports {
		used["import "+i.Name] = i.Used
	}
	want := map[string]bool{"SIZE": true, "LOOSE": false, "Used": true, "Loose": false, "Root": false, "Leaf": true, "Alone": false,
		"Kind": false, "Event": false, "Other": true, "Rest": false, "X": false, "import o": true, "import q": false}
	if !reflect.DeepEqual(used, want) {
		t.Errorf("used is %v, want %v", used, want)
	}
}

func TestValidCorpusCompiles(t *testing.T) {
	paths, err := filepath.Glob("../testdata/valid/*.sdp")
	if err != nil || len(paths) < 5 {
		t.Fatalf("only %d files: %v", len(paths), err)
	}
	for _, path := range paths {
		schema, problems := compile(folder("../testdata/valid"), filepath.Base(path))
		if schema == nil {
			t.Errorf("refused:\n%s", render(t, problems, path))
			continue
		}
		formatted := check.Memory{}
		for _, p := range schema.Packages {
			formatted[p.Path] = p.Canonical
		}
		again, problems := compile(formatted, filepath.Base(path))
		if again == nil {
			t.Errorf("the canonical text is refused:\n%s", render(t, problems, path))
			continue
		}
		for i, p := range again.Packages {
			if p.Canonical != schema.Packages[i].Canonical {
				t.Errorf("the canonical text of %s has another canonical text", p.Path)
			}
			if p.Legacy != schema.Packages[i].Legacy {
				t.Errorf("the canonical text of %s has another release", p.Path)
			}
		}
	}
}

func TestLegacyFileHasAtMostAsManyStructsAsThereAreIDs(t *testing.T) {
	const idMax = 0xFEFF
	for count, refused := range map[int]bool{idMax: false, idMax + 2: true} {
		schema, problems := compile(check.Memory{"a.sdp": numbered(count, "struct A%d { a: u8 }")}, "a.sdp")
		if (schema == nil) != refused || refused && (problems.Len() != 1 || problems.Sorted()[0].Code != "S0701") {
			t.Errorf("%d structs: %d problems", count, problems.Len())
		}
	}
}

func TestReservedRangesMayOverlap(t *testing.T) {
	packageOf(t, "package p; enum E: i8 { A = 5, reserved 6..9, 1..3, 2..4, -128..-1, 7; }")
	_, problems := compile(check.Memory{"a.sdp": "enum E: i8 { A = 4, B = 5, C = -1, reserved 1..3, 2..4, -7..-1, -3; }"}, "a.sdp")
	var codes []string
	for _, d := range problems.Sorted() {
		codes = append(codes, string(d.Code)+" "+d.Span.Text())
	}
	if want := []string{"S0505 4", "S0505 -1"}; !reflect.DeepEqual(codes, want) {
		t.Errorf("problems %q, want %q", codes, want)
	}
}
