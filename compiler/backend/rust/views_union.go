package rust

import (
	"fmt"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// unionView prints the view of a union: an enum like its other forms, of views.
func (g *generator) unionView(u *ir.Union) {
	g.Line("/// A window on the bytes of a [`%s`], which were validated once.", g.names.Of(u))
	g.Line("#[derive(Clone, Debug)]")
	g.enumOf(u, g.types.view(u, "'a"), g.viewPayload, func() {
		g.Emit(nil, `
			/// An alternative that has no name here.
			Unknown {
			    /// Says which alternative it is.
			    tag: u8,
			    /// The encoding of the alternative's payload.
			    payload: &'a [u8],
			},
		`)
	})
	g.openUnion(u)
	g.decoder(u, viewed)
}

// viewPayload is the type of what an alternative holds in a view.
func (g *generator) viewPayload(t *ir.Type) string {
	if g.types.lazy(t) {
		return "view::Lazy<'a, " + g.types.viewShape(t, "'a") + ">"
	}
	return g.types.viewType(t)
}

// isSlice reports whether a view hands out what lies in the bytes.
func isSlice(form lower.ViewForm) bool { return form == lower.ViewStr || form == lower.ViewBytes }

// openUnion prints what opens a union's view on bytes that are known to be valid.
func (g *generator) openUnion(u *ir.Union) {
	name := g.types.view(u, "")
	switch {
	case !u.Closed:
		g.shape(u, func() { g.openPayload(u, name) }, nil, func() {
			g.Line("wire::skip::<view::Value<u8>>(s);")
			g.Line("wire::skip::<view::Bytes<%d>>(s);", plan.WindowBytes)
		})
	case len(payloads(u)) == 0:
		g.shape(u, func() { g.openClosedUnion(u, name, "s") }, nil, nil)
	default:
		g.shape(u, func() {
			g.Line("let mut rest = *s;")
			g.openClosedUnion(u, name, "&mut rest")
		}, func() { g.skipPayloads(u) }, func() { g.Line("Self::finish(s);") })
	}
}

func (g *generator) openPayload(u *ir.Union, name string) {
	g.Line("let tag = wire::known_value::<u8>(s);")
	g.Line("let payload = wire::known_bytes::<%d>(s);", plan.WindowBytes)
	g.Line("match tag {")
	g.In(func() {
		for _, a := range u.Alternatives {
			g.opened(tagOf(a), name, a, "payload")
		}
		g.arm("_", name+"::Unknown { tag, payload }")
	})
	g.Line("}")
}

// opened prints an arm that is an alternative with its payload at the front of
// bytes.
func (g *generator) opened(pattern, name string, a *ir.Alternative, bytes string) {
	made := pattern + " => " + name + "::" + g.names.Of(a)
	switch {
	case a.Type == nil:
		g.Line("%s,", made)
	case g.types.lazy(a.Type):
		g.call(made, []string{"view::Lazy::new(" + bytes + ")"}, ",")
	default:
		g.call(made, []string{"wire::read::<" + g.types.viewShape(a.Type, "'_") + ">(" + bytes + ")"}, ",")
	}
}

// openClosedUnion prints what opens the payload that follows the tag. A missing union has the tag
// 0, which no valid one has, and equals a new one.
func (g *generator) openClosedUnion(u *ir.Union, name, tag string) {
	g.Line("match wire::known_value::<u8>(%s) {", tag)
	g.In(func() {
		for _, a := range u.Alternatives {
			g.opened(tagOf(a), name, a, "rest")
		}
		g.opened("_", name, g.firstAlternative(u), "&[]")
	})
	g.Line("}")
}

// payloads are the alternatives that hold something.
func payloads(u *ir.Union) []*ir.Alternative {
	return slices.DeleteFunc(slices.Clone(u.Alternatives), func(a *ir.Alternative) bool { return a.Type == nil })
}

// skipPayloads prints code that moves behind a tag and its payload.
func (g *generator) skipPayloads(u *ir.Union) {
	list := payloads(u)
	if len(list) == 1 {
		g.Line("if wire::known_value::<u8>(s) == %s {", tagOf(list[0]))
		g.In(func() { g.generic("wire::skip", g.types.viewShape(list[0].Type, "'_"), "s", ";") })
		g.Line("}")
		return
	}
	g.Line("match wire::known_value::<u8>(s) {")
	g.In(func() {
		for _, a := range list {
			g.arm(tagOf(a), "wire::skip::<"+g.types.viewShape(a.Type, "'_")+">(s)")
		}
		g.Line("_ => {}")
	})
	g.Line("}")
}

func tagOf(a *ir.Alternative) string { return fmt.Sprint(a.Tag) }
