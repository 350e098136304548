package layout

import (
	"strings"
	"testing"
)

// TestCodeIsBrokenWhereItIsTooWide shows what the test of the generator, which asks
// rustfmt about whole files, can't: a construct by itself.
func TestCodeIsBrokenWhereItIsTooWide(t *testing.T) {
	long := strings.Repeat("a", 50)
	for _, c := range []struct{ name, code, want string }{
		{"what fits", "let a = b(c);\n", "let a = b(c);\n"},
		{"arguments of a call", "call(&" + long + ", &" + long + ");\n", "call(\n    &" + long + ",\n    &" + long + ",\n);\n"},
		{"a chain", "let a = self." + long + ".iter().len();\n", "let a = self\n    ." + long + "\n    .iter()\n    .len();\n"},
		{"a value", "let " + long + " = wire::" + long + "(d)?;\n", "let " + long + " =\n    wire::" + long + "(d)?;\n"},
		{"a literal", "Self { first, second, third }\n", "Self {\n    first,\n    second,\n    third,\n}\n"},
		{"a comparison", "if self." + long + " != other." + long + " {\n    return;\n}\n",
			"if self." + long + "\n    != other." + long + "\n{\n    return;\n}\n"},
		{"an arm", "match a {\n    Self::" + long + "(value) => Self::" + long + "(value),\n}\n",
			"match a {\n    Self::" + long + "(value) => {\n        Self::" + long + "(value)\n    }\n}\n"},
		{"a trait's name", "impl From<" + long + "> for " + long + " {\n    a();\n}\n",
			"impl From<" + long + ">\n    for " + long + "\n{\n    a();\n}\n"},
		{"a path of crates", "pub fn " + long + "(&self) -> Option<::" + long + "> {\n    a\n}\n",
			"pub fn " + long + "(\n    &self,\n) -> Option<::" + long + "> {\n    a\n}\n"},
		{"a function's head", "pub fn " + long + "(&self) -> Option<" + long + "> {\n    a\n}\n",
			"pub fn " + long + "(\n    &self,\n) -> Option<" + long + "> {\n    a\n}\n"},
		{"a type's arguments", "wire::skip::<Vec<" + long + ", " + long + ">>(s);\n",
			"wire::skip::<\n    Vec<\n        " + long + ",\n        " + long + ",\n    >,\n>(s);\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Code(c.code); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestCodeWithoutLayoutStaysAsItIs(t *testing.T) {
	text := strings.Repeat("a", 120)
	for _, code := range []string{
		"// " + text + "\n",
		"#[deprecated = \"" + text + "\"]\n",
		"let a = \"" + text + "\";\n",
		"let a = " + text + "(b);\n",
		"const A: &str = \"\\\n0 struct " + text + "\n a list4 u8\n\";\n",
		"what is no Rust at all: " + text + " (\n",
		"use " + text + ";\n\n/// B.\npub struct B {}\n",
	} {
		if got := Code(code); got != code {
			t.Errorf("got:\n%s\nwant:\n%s", got, code)
		}
	}
}
