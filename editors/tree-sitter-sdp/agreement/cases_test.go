package agreement

import (
	"slices"
	"testing"
)

// cases are texts that a grammar easily takes for something else than the compiler does, and
// whether the grammar accepts them.
var cases = []struct {
	text  string
	valid bool
}{
	{"", true},
	{"\uFEFFstruct A {}", true},
	{"struct A {}\uFEFF", false},
	{"//", true},
	{"///\n////\n//!\n/**/", true},
	{"/*/", false},
	{"/* /* */", true},
	{"/* /* */ */", false},
	{"/***/ /* ** / **/", true},
	{"// a\rb\x00\n", false},
	{"// a\rb\n", true},
	{"/* a\x00 */", false},
	{"struct\x00A {}", false},
	{"struct\fA {}", false},
	{"struct\u00A0A {}", false},

	// A number takes all letters and digits behind it.
	{"enum A: u8 { B = 1reserved 2; }", false},
	{"enum A: u8 { B = 1 reserved 2; }", true},
	{"enum A: u8 { B = 1/**/reserved 2; }", true},
	{"enum A: u8 { B = 1.5reserved 2; }", false},
	{"enum A: u8 { B = 1e-5reserved 2; }", false},
	{"enum A: u8 { B = 0x1Freserved 2; }", false},
	{"enum A: u8 { B = \"1\"reserved 2; }", true},
	{"union A { B = 1reserved 2; }", false},
	{"reserved 1..2, 3 .. 0x4;", true},
	{"reserved 1. .2;", false},
	{"reserved 1...2;", false},
	{"reserved 1..-2, -1;", true},
	{"reserved 1.5;", false},
	{"reserved - 1;", false},
	{"const A: u8 = 1__0;", false},
	{"const A: u8 = 1_;", false},
	{"const A: u8 = 0x_1;", false},
	{"const A: u8 = 0X1;", false},
	{"const A: u8 = 0b2;", false},
	{"const A: u8 = 007;", true},
	{"const A: f64 = 1_0.0_1e+0_5;", true},
	{"const A: f64 = .5;", false},
	{"const A: f64 = 5.;", false},
	{"const A: f64 = 0x1e+5;", false},
	{"const A: f64 = 0b1e-5;", false},

	// A string ends on its line.
	{"import \"a\n\";", false},
	{"import \"a\r\";", false},
	{"import \"a\n/**/\";", false},
	{"import \"/*\n*/\";", false},
	{"import \"a//b\";", true},
	{"import \"/* a */ \t \";", true},
	{"import \" \";", true},
	{"import \"\x00\";", false},
	{"import \"\x01\u2028\uFEFF\";", true},
	{`import "\\\"\n\r\t\0";`, true},
	{`import "\`, false},
	{`import "\\";"`, false},
	{`import "\q";`, false},
	{`import "\u0041";`, false},
	{`import "\u{}";`, false},
	{`import "\u{0}\u{41}\u{041}\u{D7FF}\u{e000}\u{0FFFF}\u{10000}\u{00d7ff}\u{010000}\u{10FFFF}";`, true},
	{`import "\u{D800}";`, false},
	{`import "\u{0dfff}";`, false},
	{`import "\u{00DABC}";`, false},
	{`import "\u{110000}";`, false},
	{`import "\u{0000041}";`, false},
	{"import \"a\"as as;", true},

	// Words of the language are names elsewhere.
	{"struct struct { struct: struct.message, reserved: map, Option: Option, map: map<map, Box<Box>> }", true},
	{"struct A { reserved 1; }", false},
	{"struct A { reserved x: u8 }", false},
	{"enum A: u8 { reserved = 1, true = reserved, reserved reserved; }", true},
	{"enum A: u8 { @a reserved 3; }", false},
	{"enum A: u8 { reserved 3; B = 1, reserved 4; reserved 5; C = 2, }", true},
	{"enum A: u8 { reserved 3; , B = 1 }", false},
	{"enum A: u8 { B = 1, , }", false},
	{"enum A: u8 { , }", false},
	{"enum A { B = 1 }", false},
	{"enum A: u8 { B = 1; C = 2 }", false},
	{"enum A: u8 {}", true},
	{"union A { B(u8) = 1, C { reserved: u8 } = 2 reserved 3; D = 4 reserved 5; }", true},
	{"union A { B = C }", false},
	{"union A { B = 1.0 }", false},
	{"service A { stream stream(stream stream) -> stream = 1; call call(stream) -> stream stream = 2; event event(a.b.c) = 3; }", true},
	{"service A { stream a(stream []u8) -> b = 1; }", false},
	{"service A { stream a(stream Option<u8>) -> ?b = 1; }", true},
	{"service A { stream a(stream.b) -> stream stream.c = 1; }", true},
	{"service A { stream a(stream @x b) -> c = 1; }", false},
	{"service A { event a(b) -> c = 1; }", false},
	{"service A { call a(b) = 1; }", false},
	{"service A { call a(b) - > c = 1; }", false},
	{"service A { call a(b)->c=1; reserved 1, \"x\", y; }", true},
	{"service A { @x @y() @z(1,) reserved: u8 }", false},
	{"const A: bool = true;", true},
	{"const A: bool = true.x;", false},
	{"const A: bool = x.true;", true},
	{"type A = [true]u8;", true},
	{"type A = [true.x]u8;", false},
	{"type A = [1.5]u8;", false},
	{"type A = [\"\"]u8;", false},
	{"type A = Foo<u8>;", false},
	{"type A = x.Box<u8>;", false},
	{"type A = @a(true = true, a.b) []@b ?@c Box<@d map<u8, Option<u8>>>;", true},
	{"type A = map<u8>;", false},
	{"type A = a . b /**/ . c;", true},
	{"@a @b.c (1) package a.b; import \"x\"; import \"y\" as z; reserved 1, x, \"y\"; @d type A = u8;", true},
	{"@a import \"x\";", false},
	{"@a reserved 1;", false},
	{"import \"x\"; package a;", false},
	{"package a; package b;", false},
	{"type A = u8; import \"x\";", false},
	{"reserved 1; import \"x\";", false},
	{"struct A {};", false},
	{"struct A {} }", false},
	{"struct A { a: u8, b: u8 = 1, }", true},
	{"struct A { a: u8; }", false},
	{"struct A { a: u8\n b: u8 }", false},
	{"struct A { struct B {} }", false},
	{"message A { string b = 1; }", false},
	{"syntax = \"proto3\";", false},
	{"@ a . b ( ) struct A{}", true},
	{"@(1) struct A {}", false},
	{"@a(,) struct A {}", false},
	{"@a(b=) struct A {}", false},
	{"@a(1=1) struct A {}", false},

	// A declaration's word first on a line, with a name behind it, is one of the exceptions.
	{"@a\nstruct struct {}", true},
	{"@\nstruct\nstruct {}", false},
	{"@\nstruct\nstruct A {}", true},
	{"@a.\ntype struct A {}", true},
	{"struct A { a: @b.\ntype c }", true},
}

func TestGrammarAgreesOverCases(t *testing.T) {
	r := newReader(t)
	excused := 0
	for _, c := range cases {
		v := r.read(c.text)
		if v.differ() || v.grammar != c.valid {
			v.report(t, "case", c.text)
		}
		if v.excuse != "" {
			excused++
		}
	}
	if excused == 0 {
		t.Error("no case is an exception")
	}
}

// An editor colours a text that is being written: what stands behind a mistake is read.
func TestDeclarationsBehindAMistakeAreRead(t *testing.T) {
	r := newReader(t)
	for _, broken := range []string{
		"struct A { a: }", "struct A { a: u8 b: u8 }", "struct A { a: [", "struct A {", "enum A: u8 { X = }", "union A { X( = 1 }",
		"const A: u8 = ;", "const A: u8 = 12x;", "type A = ;", "service A { call a() -> b = 1; }", "service A { call }", "@ struct A {}", "nonsense", "}", ";",
	} {
		text := broken + "\n\nstruct Second { a: u8 }\n\nenum Third: u8 { X = 1 }\n"
		tree := r.parser.Parse([]byte(text), nil)
		var found []string
		for i := range tree.RootNode().NamedChildCount() {
			if name := tree.RootNode().NamedChild(i).ChildByFieldName("name"); name != nil {
				found = append(found, name.Utf8Text([]byte(text)))
			}
		}
		if !slices.Contains(found, "Third") || !tree.RootNode().HasError() {
			t.Errorf("of %q the declarations are %q", text, found)
		}
		tree.Close()
	}
}
