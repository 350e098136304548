package driver

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/spec"
)

func TestEveryRefusalIsExplained(t *testing.T) {
	names := regexp.MustCompile(`(?m)^name = "(.*)"$`).FindAllStringSubmatch(spec.Errors, -1)
	if len(names) < 67 || len(names) != len(refusals()) {
		t.Fatalf("%d names, %d refusals", len(names), len(refusals()))
	}
	for _, name := range names {
		var out bytes.Buffer
		if err := (&Tool{Out: &out}).Explain(name[1:]); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{name[1] + ": ", "\nCause: ", "\nRemedy: ", "\nRules: ", "number"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %q in\n%s", want, out.String())
			}
		}
		if strings.HasPrefix(out.String(), "\n") || strings.Contains(out.String(), "%!") || strings.Contains(out.String(), "\n. ") {
			t.Errorf("%s", out.String())
		}
	}
	for _, r := range refusals() {
		if subjects[r.Category] == "" {
			t.Errorf("%s has a category that nothing is said of: %s", r.Name, r.Category)
		}
	}
}

// The page about errors has a section for each refusal, which tools/specgen writes, and a row for the codes
// of each letter.
func TestPageAboutErrorsHasEveryNameAndLetter(t *testing.T) {
	page, err := os.ReadFile("../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range refusals() {
		if !bytes.Contains(page, []byte("\n### "+r.Name+"\n")) {
			t.Errorf("the page has no section %s", r.Name)
		}
	}
	for _, code := range (&Tool{}).codes().Codes() {
		if !bytes.Contains(page, []byte("`"+string(code)[:1]+"0")) {
			t.Errorf("the page has no row for %s", code)
		}
	}
}
