package rust

import "testing"

func TestVariantsCalledAsTypesAreNoUsesOfThem(t *testing.T) {
	for text, want := range map[string]bool{
		"enum Kind {\n    String = 1,\n    Other,\n}\n":       false,
		"        Self::String => 1,\n":                        false,
		"        6 String: \"string\", \"string\";\n":         false,
		"    String(Thing),\n    Stringy,\n":                  false,
		"    name: String,\n":                                 true,
		"fn f() -> Result<String, Error> {\n":                 true,
		"        String::new()\n":                             true,
		"    String(String),\n":                               true,
		"    text.push(String::from(\"a\")); MyString::new()": true,
	} {
		if got := namesType(text, "String"); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
