package cpp_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

func TestNamespacesAvoidNamesOfTheCLibrary(t *testing.T) {
	for name, want := range map[string]string{
		"audio.host": "audio::host", "time": "time_", "audio.time": "audio::time", "std.sdp": "std_::sdp_", "class": "class_", "errno": "errno_",
		"main": "main_", "index": "index_", "asio": "asio_", "a.pmr.detail": "a::pmr_::detail_", "AF_INET": "AF_INET_", "linux": "linux_",
	} {
		if got := cpp.Namespace(&ir.Package{Name: name}); got != want {
			t.Errorf("%s becomes %s", name, got)
		}
	}
}

func TestAliasesStandBehindThoseThatTheyName(t *testing.T) {
	schema := checked(t, check.Memory{"a.sdp": "type C = map<B, []A>; type A = B; type B = u16; struct S { a: A, c: C }"}, "a.sdp")
	generated, problems := generate(schema)
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	code := generated["a.hpp"]
	a, b, c := strings.Index(code, "using A = "), strings.Index(code, "using B = "), strings.Index(code, "using C = ")
	if b < 0 || a < b || c < a {
		t.Errorf("A is at %d, B at %d, C at %d", a, b, c)
	}
}

func TestMembersDoNotShadowTheFingerprint(t *testing.T) {
	generated, _ := generate(checked(t, check.Memory{"a.sdp": "enum E: u8 { source_fingerprint = 0 }"}, "a.sdp"))
	if code := generated["a.hpp"]; !strings.Contains(code, "    source_fingerprint_ = 0,\n") {
		t.Error("a member shadows the constant of the package")
	}
}
