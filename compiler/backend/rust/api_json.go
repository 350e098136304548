package rust

import (
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// jsons prints the tables of which the runtime makes the canonical JSON of all declared
// types, and what serde wants.
func (g *generator) jsons() {
	for _, d := range g.pkg.Decls {
		for _, d := range ir.WithInline(d) {
			g.json(d)
		}
	}
}

func (g *generator) json(d ir.Decl) {
	forms := []string{g.types.name(d, owned)}
	switch d := d.(type) {
	case *ir.Enum:
		of := openness(d.Closed)
		name := forms[0] + ": " + of
		g.cold("sdp::json::enumeration", forms[0]+": "+scalars.Of(d.Base).name+", "+of, func() {
			for _, m := range d.Members {
				g.Line("%s = %s,", quote(jsonName(&m.Meta, m.Name)), enumNumber(d, m))
			}
		})
		g.serde("enumeration", name)
		return
	case *ir.Union:
		forms = g.anonymousForms(d)
		g.cold("sdp::json::union", strings.Join(forms, ", ")+": "+openness(d.Closed), func() { g.jsonAlternatives(d) })
	default:
		forms = g.anonymousForms(d)
		g.cold("sdp::json::record", strings.Join(forms, ", ")+": of_"+ir.KindOf(d).String(), func() { g.jsonFields(d) })
	}
	g.serde("value", strings.Join(forms, ", "))
}

// anonymousForms are the forms of a type, the owned one first.
func (g *generator) anonymousForms(d ir.Decl) (forms []string) {
	for _, form := range g.forms(d) {
		forms = append(forms, g.anonymous(d, form))
	}
	return forms
}

// cold prints a table for crates that have JSON.
func (g *generator) cold(macro, head string, rows func()) {
	g.Line("%s", `#[cfg(feature = "serde")]`)
	g.table(macro, head, rows)
}

// serde prints what lets serde write and read a type.
func (g *generator) serde(macro, name string) {
	if g.Serde {
		g.Line("%s", `#[cfg(feature = "serde")]`)
		g.Line("sdp::serde::%s! { %s }", macro, name)
		g.Line("")
	}
}

func openness(strict bool) string { return map[bool]string{true: "closed", false: "open"}[strict] }

// jsonName is a name as JSON has it.
func jsonName(meta *ir.Meta, name string) string {
	if given, ok := meta.Names["json"]; ok {
		return given
	}
	return name
}

func (g *generator) jsonFields(d ir.Decl) {
	_, isMessage := d.(*ir.Message)
	for _, f := range ir.FieldsOf(d) {
		presence := "required"
		if f.Type.Kind == ir.OptionalKind || isMessage && f.Since > 1 {
			presence = "optional"
		}
		g.Line("%s: %s(%s, %s),", g.names.Of(f), presence, quote(f.JSONName()), quote(f.Name))
	}
	if keeps(d) {
		g.Line("..unknown_fields")
	}
}

func (g *generator) jsonAlternatives(u *ir.Union) {
	for _, a := range u.Alternatives {
		payload := map[bool]string{true: "(payload)"}[a.Type != nil]
		g.Line("%d %s%s: %s, %s;", a.Tag, g.names.Of(a), payload, quote(jsonName(&a.Meta, a.Name)), quote(a.Name))
	}
	if !u.Closed {
		g.Line("..Unknown")
	}
}
