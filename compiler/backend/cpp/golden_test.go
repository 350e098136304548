package cpp_test

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/internal/golden"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// schemas are the schemas that every language's generated code is tested with.
const schemas = generated.Schemas

// code is how the tests of this folder compile generated code.
var code = generated.Code{Backend: cpp.Backend{}, Runtime: "sdp/sdp.hpp", Import: cpp.Header}

var checked = generated.Checked

// generate makes the code of all packages of a schema, in headers alone.
func generate(schema *ir.Schema) (map[string]string, *diag.List) {
	return code.Of(schema, generated.Whole)
}

// TestGeneratedCodeMatchesGoldenFiles compares with code that the tests of this
// folder compile.
func TestGeneratedCodeMatchesGoldenFiles(t *testing.T) { code.MatchShared(t) }

// TestDefaultsMatchGoldenFile is for the test that counts what defaults allocate.
func TestDefaultsMatchGoldenFile(t *testing.T) {
	golden.Compare(t, generated.Golden+"defaults.hpp", code.One(t, "testdata/defaults.sdp"))
}

func TestGenerationIsDeterministic(t *testing.T) { code.Repeats(t) }

func TestCommentsOfASchemaCannotEndOrJoinLines(t *testing.T) {
	schema := "struct S {\n    /// ends with \\\n    a: u8,\n    /// and with \\\\ \n    b: u8,\n}\n"
	generated, problems := generate(checked(t, check.Memory{"a.sdp": schema}, "a.sdp"))
	if problems.Len() > 0 {
		t.Fatal(problems.Sorted()[0].Message)
	}
	for line := range strings.Lines(generated["a.hpp"]) {
		if strings.HasSuffix(strings.TrimSpace(line), `\`) {
			t.Errorf("a line ends with a backslash: %q", line)
		}
	}
}
