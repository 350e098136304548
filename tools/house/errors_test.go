package house_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestErrorsNameTheClausesThatRefuse finds a clause that says with which name something is
// refused, and that readers of spec/errors.toml aren't led to.
func TestErrorsNameTheClausesThatRefuse(t *testing.T) {
	named := map[string]string{}
	row := regexp.MustCompile(`(?m)^name = "(\w+)"(?:\n[^\[\n].*)*\nclauses = (.+)$`)
	for _, match := range row.FindAllStringSubmatch(string(read(t, "spec/errors.toml")), -1) {
		named[match[1]] = match[2]
	}
	clause := regexp.MustCompile(`(?m)^- \*\*\[([A-Z]+-[0-9.]+)\]\*\*(.*(?:\n  .*)*)`)
	refused := regexp.MustCompile("(?:is|are|be)(?: then)? refused with\\s+`(\\w+)`")
	looked := 0
	for _, name := range files(t) {
		if !strings.HasPrefix(name, "spec/") || !strings.HasSuffix(name, ".md") {
			continue
		}
		for _, match := range clause.FindAllStringSubmatch(string(read(t, name)), -1) {
			for _, refusal := range refused.FindAllStringSubmatch(match[2], -1) {
				looked++
				clauses := strings.FieldsFunc(named[refusal[1]], func(r rune) bool { return strings.ContainsRune(`[]", `, r) })
				if !slices.Contains(clauses, match[1]) {
					t.Errorf("%s refuses with %s, whose clauses are %v", match[1], refusal[1], clauses)
				}
			}
		}
	}
	if looked < 30 {
		t.Errorf("the test found %d refusals only", looked)
	}
}
