package rust_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
)

func TestTypesLeaveThePreludeAlone(t *testing.T) {
	for _, name := range []string{"AsRef", "Clone", "Copy", "Default", "Eq", "From", "Ok", "Ord", "PartialEq", "PartialOrd", "Result", "Self", "Some", "String", "Vec"} {
		generated, _ := generate(checked(t, check.Memory{"a.sdp": "struct " + name + " { a: str }"}, "a.sdp"))
		if code := generated["a.rs"]; !strings.Contains(code, "pub struct "+name+"_ {") || strings.Contains(code, "pub struct "+name+" {") {
			t.Errorf("%s stays as it is", name)
		}
	}
}

func TestOtherFormsOfTypesLeaveThePreludeAlone(t *testing.T) {
	generated, _ := generate(checked(t, check.Memory{"a.sdp": "message As { a: str }"}, "a.sdp"))
	if code := generated["a.rs"]; !strings.Contains(code, "pub struct AsRef_<'a> {") || strings.Contains(code, "pub struct AsRef<") {
		t.Error("what borrows As hides the trait AsRef")
	}
}

func TestViewsReadStructsWithoutBytes(t *testing.T) {
	generated, _ := generate(checked(t, check.Memory{"a.sdp": "struct N {} struct O { n: N } struct S { o: O, x: str }"}, "a.sdp"))
	if code := generated["a.rs"]; strings.Contains(code, "        O {}\n") || !strings.Contains(code, "O::default()\n") {
		t.Error("a struct is made without its fields")
	}
}

func TestFieldsThatAreOneInRustAreRefused(t *testing.T) {
	_, problems := generate(checked(t, check.Memory{"a.sdp": "struct S { self: u8, self_: u8 }"}, "a.sdp"))
	if problems.Len() != 1 || problems.Sorted()[0].Code != "R0101" {
		t.Errorf("%d problems", problems.Len())
	}
}

// TestViewsPrintFieldsAsValuesDo looks at the names that derive(Debug) prints: the names of fields
// without a mark of raw ones.
func TestViewsPrintFieldsAsValuesDo(t *testing.T) {
	generated, _ := generate(checked(t, check.Memory{"a.sdp": "struct S { self: u8, crate: str, super: str, type: u8 } message M { Self: str }"}, "a.sdp"))
	for _, want := range []string{`out.field("self_", `, `out.field("crate_", `, `out.field("super_", `, `out.field("type", `} {
		if !strings.Contains(generated["a.rs"], want) {
			t.Errorf("no view has %s", want)
		}
	}
}
