package vectors_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/vectors"
)

// wide is a message of many fields that holds itself, also by a union of as many alternatives.
func wide(fields, alternatives int) string {
	types := []string{"u32", "str", "?M", "[]u8", "U", "?U", "map<u8, str>", "f64"}
	payloads := []string{"", "(str)", "(M)", "(u8)"}
	var text strings.Builder
	text.WriteString("package m;\nmessage M {\n")
	for i := range fields {
		fmt.Fprintf(&text, "f%d: %s,\n", i, types[i%len(types)])
	}
	text.WriteString("}\nunion U {\nA0 = 255,\n")
	for i := 1; i < alternatives; i++ {
		fmt.Fprintf(&text, "A%d%s = %d,\n", i, payloads[i%len(payloads)], i)
	}
	return text.String() + "}\n"
}

// TestWideTypesHaveVectorsInBoundedTime allows far more than is needed, and far less than the
// square of the fields would take.
func TestWideTypesHaveVectorsInBoundedTime(t *testing.T) {
	schema, problems := check.Program(check.Memory{"m.sdp": wide(400, 255)}, []string{"m.sdp"}, format.Canonical)
	if problems.HasErrors() {
		t.Fatal(problems.Sorted()[0].Message)
	}
	begun := time.Now()
	set, err := vectors.Make(plan.New(schema), schema.Packages[0], vectors.Options{Seed: 1, Count: 4})
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for _, c := range set.Cases {
		bytes += len(c.Bytes)
	}
	t.Logf("%d cases of %d bytes after %v", len(set.Cases), bytes, time.Since(begun))
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
}
