package main

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/compat/random"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// service is the full name of the only service.
const service = "s.S"

// release is the schema and the knowledge of a peer of one release.
type release struct {
	Text  string `json:"text"` // of the schema
	Types []typ  `json:"types"`
	// Uses are the words of the harness: NAME:SERVICE:NUMBER:METHOD:request|response.
	Uses []string `json:"uses"`

	types []session.Type
}

type typ struct {
	Name         string   `json:"name"`
	Fingerprints []string `json:"fingerprints"`
	Text         string   `json:"text"` // the layout text
}

// newRelease compiles a schema with its service.
func newRelease(s *random.Schema, methods string) (*release, error) {
	text := s.String() + methods
	schema, err := compile(text)
	if err != nil {
		return nil, err
	}
	catalog, err := talk.NewCatalog(plan.New(schema))
	if err != nil {
		return nil, err
	}
	made := &release{Text: text, types: catalog.Types(service)}
	for _, t := range made.types {
		one := typ{Name: t.Name, Text: t.Layout}
		for _, print := range t.Fingerprints {
			one.Fingerprints = append(one.Fingerprints, fmt.Sprintf("%016x", print))
		}
		made.Types = append(made.Types, one)
		made.use(t.Name, "request", t.Requests)
		made.use(t.Name, "response", t.Responses)
	}
	return made, nil
}

func (r *release) use(name, what string, methods []session.Method) {
	for _, m := range methods {
		r.Uses = append(r.Uses, fmt.Sprintf("%s:%s:%d:%s:%s", name, m.Service, m.Number, m.Name, what))
	}
}

func compile(text string) (*ir.Schema, error) {
	schema, problems := check.Program(check.Memory{"s.sdp": text}, []string{"s.sdp"}, func(*syntax.File) string { return "" })
	if problems.HasErrors() {
		return nil, fmt.Errorf("%s\n%s", problems.Sorted()[0].Message, text)
	}
	return schema, nil
}

func compiles(s *random.Schema) error {
	_, err := compile(s.String())
	return err
}

func isRoot(d *random.Decl) bool { return d != nil && d.Kind != "enum" }

// roots are the types that may be requests and responses.
func roots(s *random.Schema) (found []*random.Decl) {
	for _, d := range s.Decls {
		if isRoot(d) {
			found = append(found, d)
		}
	}
	return found
}

// methods is the source text of the service: for each type of the first release a call, which
// answers with the next type, a stream of chunks and an event, as far as this release has the
// types. Methods of every third type go by an alias, in each release of other types.
func methods(first, s *random.Schema, renamed map[string]string, aliased int) string {
	var aliases, methods strings.Builder
	named := map[string]string{}
	all := roots(first)
	for i, d := range all {
		name := d.Name
		if now, found := renamed[name]; found {
			name = now
		}
		if !isRoot(s.Find(name)) {
			continue
		}
		named[d.Name] = name
		if i%3 == aliased {
			fmt.Fprintf(&aliases, "type Alias%d = %s;\n", i, name)
			named[d.Name] = fmt.Sprintf("Alias%d", i)
		}
	}
	for i, d := range all {
		name, next := named[d.Name], named[all[(i+1)%len(all)].Name]
		if name == "" {
			continue
		}
		if next != "" {
			fmt.Fprintf(&methods, "    call call%d(%s) -> %s = %d;\n", i, name, next, 3*i+1)
		}
		fmt.Fprintf(&methods, "    stream stream%d(stream %s) -> stream %s = %d;\n", i, name, name, 3*i+2)
		fmt.Fprintf(&methods, "    event event%d(%s) = %d;\n", i, name, 3*i+3)
	}
	return fmt.Sprintf("%sservice S {\n%s}\n", &aliases, &methods)
}
