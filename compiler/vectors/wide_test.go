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

// within is a message of as many fields that hold it, and a union of alternatives that do.
func within(around string, fields, alternatives int) string {
	var text strings.Builder
	text.WriteString("package m;\nmessage M {\n")
	for i := range fields {
		fmt.Fprintf(&text, "f%d: "+around+",\n", i, "M")
	}
	fmt.Fprintf(&text, "u: "+around+",\n}\nunion U {\n", "U")
	for i := 1; i <= alternatives; i++ {
		fmt.Fprintf(&text, "A%d(M) = %d,\n", i, i)
	}
	return text.String() + "}\n"
}

// TestWideTypesHaveVectorsInBoundedTime allows far more than is needed, and far less than the
// square of the fields would take.
func TestWideTypesHaveVectorsInBoundedTime(t *testing.T) {
	for name, text := range map[string]string{
		"every kind": wide(1600, 255), "optionals of itself": within("?%s", 400, 255), "lists of itself": within("[]%s", 400, 255),
	} {
		t.Run(name, func(t *testing.T) {
			schema, problems := check.Program(check.Memory{"m.sdp": text}, []string{"m.sdp"}, format.Canonical)
			if problems.HasErrors() {
				t.Fatal(problems.Sorted()[0].Message)
			}
			begun := time.Now()
			set, err := vectors.Make(plan.New(schema), schema.Packages[0], vectors.Options{Seed: 1, Count: 4})
			if err != nil {
				t.Fatal(err)
			}
			kept := 0
			for _, c := range set.Cases {
				kept += len(c.Bytes)
				for _, r := range c.Reads {
					kept += len(r.JSON) + len(r.Encoding)
				}
			}
			t.Logf("%d cases of %d bytes after %v", len(set.Cases), kept, time.Since(begun))
			if took := time.Since(begun); took > 30*time.Second || kept > keptMost {
				t.Errorf("it took %v and %d bytes", took, kept)
			}
		})
	}
}

// keptMost is how many bytes all vectors of a wide type may have.
const keptMost = 1 << 28
