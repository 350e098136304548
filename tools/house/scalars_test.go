package house_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestTextsNameEachScalar finds a scalar that readers of the specification, or of the language's
// guide, aren't told of, and one that no schema of the vectors has.
func TestTextsNameEachScalar(t *testing.T) {
	scalars := regexp.MustCompile(`(?m)^name = "(\w+)"$`).FindAllStringSubmatch(string(read(t, "spec/scalars.toml")), -1)
	if len(scalars) < 14 {
		t.Fatalf("spec/scalars.toml has %d scalars only", len(scalars))
	}
	code := regexp.MustCompile("`[^`\n]+`")
	for _, name := range []string{"spec/language.md", "spec/wire.md", "spec/json.md", "spec/evolution.md", "docs/language.md", "conformance/schemas/scalars.sdp"} {
		text := string(read(t, name))
		if strings.HasSuffix(name, ".md") {
			text = strings.Join(code.FindAllString(text, -1), " ")
		}
		for _, scalar := range scalars {
			if !regexp.MustCompile(`\b` + scalar[1] + `\b`).MatchString(text) {
				t.Errorf("%s does not name the scalar %s", name, scalar[1])
			}
		}
	}
}
