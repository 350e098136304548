package driver

import (
	"fmt"
	"io"

	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/backend/golang"
	"github.com/serial-data-protocol/sdp/compiler/backend/rust"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/lint"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// catalog is every code that any phase reports.
var catalog = diag.Catalog{syntax.Codes, check.Codes, lint.Codes, compat.Codes, golang.Codes, rust.Codes, cpp.Codes, Codes}

// Explain tells what codes mean, or lists all codes if none is named.
func (t *Tool) Explain(codes []string) error {
	if len(codes) == 0 {
		for _, title := range CodeTitles() {
			if _, err := fmt.Fprintln(t.Out, title); err != nil {
				return err
			}
		}
		return nil
	}
	for i, code := range codes {
		explanation, found := catalog.Explain(code)
		if !found {
			return unknownCode(code)
		}
		if i > 0 {
			if _, err := fmt.Fprintln(t.Out); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(t.Out, "%s: %s\n\n", explanation.Code, explanation.Title); err != nil {
			return err
		}
		if _, err := io.WriteString(t.Out, explanation.Text); err != nil {
			return err
		}
	}
	return nil
}

func unknownCode(code string) error {
	err := usagef("there is no code %q", code).withHelp("`sdp explain` lists the codes")
	var names []string
	for _, c := range catalog.Codes() {
		names = append(names, string(c))
	}
	if near := diag.Nearest(code, names); near != "" {
		err.Help = fmt.Sprintf("did you mean %s? `sdp explain` lists the codes", near)
	}
	return err
}

// CodeTitles lists every code with its title, parted by a tab as completion in
// shells expects it.
func CodeTitles() []string {
	var titles []string
	for _, code := range catalog.Codes() {
		explanation, _ := catalog.Explain(string(code))
		titles = append(titles, fmt.Sprintf("%s\t%s", code, explanation.Title))
	}
	return titles
}

// PrintVersion prints the program's name and version.
func (t *Tool) PrintVersion() error {
	_, err := fmt.Fprintf(t.Out, "sdp %s\n", Version)
	return err
}
