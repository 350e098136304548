package driver

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"

	"github.com/serial-data-protocol/sdp/compiler/bridge"
	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/lint"
	"github.com/serial-data-protocol/sdp/compiler/place"
	"github.com/serial-data-protocol/sdp/compiler/plugin"
	"github.com/serial-data-protocol/sdp/compiler/proto"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
	"github.com/serial-data-protocol/sdp/spec"
)

// codes are all that any phase reports.
func (t *Tool) codes() diag.Catalog {
	return append(diag.Catalog{syntax.Codes, check.Codes, lint.Codes, compat.Codes, place.Codes, proto.Codes, bridge.Codes, plugin.Codes, Codes}, t.languages().Codes()...)
}

// refusal is one of spec/errors.toml: what a codec, a frame or a session refuses.
type refusal struct {
	Name, Category, Meaning, Offset, Cause, Remedy string

	Number, Status int
	Clauses        []string
}

// refusals are the refusals of the specification, which is compiled into the program: an unreadable
// specification is a bug of the program.
var refusals = sync.OnceValue(func() []refusal {
	var all struct{ Error []refusal }
	if err := toml.Unmarshal([]byte(spec.Errors), &all); err != nil {
		panic(fmt.Sprintf("driver: spec/errors.toml: %v", err))
	}
	return all.Error
})

// title is the refusal's meaning as diagnostics begin.
func (r refusal) title() string { return strings.TrimSuffix(r.Meaning, ".") }

// subjects say by the category what refuses.
var subjects = map[string]string{
	"decode":  "A decoder refuses bytes for it",
	"header":  "A decoder of messages refuses bytes for it",
	"limit":   "A limit is passed for which a decoder, or an encoder, refuses",
	"encode":  "An encoder refuses a value for it",
	"json":    "A reader of JSON refuses a text for it",
	"frame":   "A frame of MXP is refused for it",
	"session": "A session of MXP, or a request of one, ends with it",
}

// explanation is the printed text of a refusal: as of a code, a title and a text.
func (r refusal) explanation() diag.Explanation {
	var text strings.Builder
	fmt.Fprintf(&text, "%s. It has the number %d", subjects[r.Category], r.Number)
	if r.Status != 0 {
		fmt.Fprintf(&text, ", and the status %s (%d)", session.Status(r.Status), r.Status)
	}
	text.WriteString(".\n")
	for _, part := range []struct{ name, text string }{
		{"Cause", r.Cause}, {"Remedy", r.Remedy}, {"Offset", r.Offset}, {"Rules", strings.Join(r.Clauses, ", ")},
	} {
		if part.text != "none" {
			fmt.Fprintf(&text, "\n%s: %s\n", part.name, part.text)
		}
	}
	return diag.Explanation{Code: diag.Code(r.Name), Title: r.title(), Text: text.String()}
}

// explanation finds that of a code or of a refusal's name, in either case.
func (t *Tool) explanation(name string) (diag.Explanation, bool) {
	if e, found := t.codes().Explain(name); found {
		return e, true
	}
	i := slices.IndexFunc(refusals(), func(r refusal) bool { return strings.EqualFold(r.Name, name) })
	if i < 0 {
		return diag.Explanation{}, false
	}
	return refusals()[i].explanation(), true
}

// Explain tells what codes and names of refusals mean, or lists all if none is named.
func (t *Tool) Explain(codes []string) error {
	if len(codes) == 0 {
		for _, title := range t.CodeTitles() {
			if _, err := fmt.Fprintln(t.Out, title); err != nil {
				return err
			}
		}
		return nil
	}
	for i, code := range codes {
		explained, found := t.explanation(code)
		if !found {
			return t.unknownCode(code)
		}
		if i > 0 {
			if _, err := fmt.Fprintln(t.Out); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(t.Out, "%s: %s\n\n", explained.Code, explained.Title); err != nil {
			return err
		}
		if _, err := io.WriteString(t.Out, explained.Text); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tool) unknownCode(code string) error {
	if name, of, found := strings.Cut(code, "/"); found && pluginNames.MatchString(name) {
		return usagef("%s is a code of the plugin %s%s", code, plugin.Prefix, name).withHelp("its documentation tells what %s means", of)
	}
	err := usagef("there is no code and no refusal %q", code).withHelp("`sdp explain` lists all")
	var names []string
	for _, c := range t.codes().Codes() {
		names = append(names, string(c))
	}
	for _, r := range refusals() {
		names = append(names, r.Name)
	}
	if near := diag.Nearest(code, names); near != "" {
		err.Help = fmt.Sprintf("did you mean %s? `sdp explain` lists all", near)
	}
	return err
}

// CodeTitles lists every code and every refusal with its title, parted by a tab as completion in
// shells expects it.
func (t *Tool) CodeTitles() []string {
	var titles []string
	catalog := t.codes()
	for _, code := range catalog.Codes() {
		explanation, _ := catalog.Explain(string(code))
		titles = append(titles, fmt.Sprintf("%s\t%s", code, explanation.Title))
	}
	for _, r := range refusals() {
		titles = append(titles, fmt.Sprintf("%s\t%s", r.Name, r.title()))
	}
	return titles
}

// PrintVersion prints the program's name and version.
func (t *Tool) PrintVersion() error {
	_, err := fmt.Fprintf(t.Out, "sdp %s\n", Version)
	return err
}
