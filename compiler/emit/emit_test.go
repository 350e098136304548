package emit

import (
	"strings"
	"testing"
)

func TestEmitFillsHolesAndKeepsIndentation(t *testing.T) {
	p := NewPrinter("    ")
	p.In(func() {
		p.Emit(Vars{"name": "n", "body": func() { p.Line("x()") }}, `
			for $name$ {
				$body$
			}
		`)
	})
	want := "    for n {\n        x()\n    }\n"
	if p.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", p.String(), want)
	}
}

func TestEmitPanicsOnHolesThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		name    string
		vars    Vars
		snippet string
		says    string
	}{
		{"unknown", Vars{}, "a $b$", "unknown hole"},
		{"unused", Vars{"b": "c"}, "a", "unused hole"},
		{"not closed", Vars{"b": "c"}, "a $b", "unknown hole"},
		{"func among text", Vars{"b": func() {}}, "a $b$", "alone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, c.says) {
					t.Errorf("panic %q does not say %q", text, c.says)
				}
			}()
			NewPrinter("\t").Emit(c.vars, c.snippet)
		})
	}
}
