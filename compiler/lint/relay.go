package lint

import (
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// passage are methods by which a type comes to servers and goes to clients, the first
// of each; nil where there is none.
type passage struct{ in, out *ir.Method }

// passages finds by which methods types pass, themselves or within others.
func passages(schema *ir.Schema) map[ir.Decl]passage {
	found := map[ir.Decl]passage{}
	for _, pkg := range schema.Packages {
		for _, s := range pkg.Services {
			for _, m := range s.Methods {
				switch {
				case m.Kind == ir.Event:
					mark(m.Request.Decl, found, func(p *passage) **ir.Method { return &p.out }, m)
				default:
					mark(m.Request.Decl, found, func(p *passage) **ir.Method { return &p.in }, m)
					mark(m.Response.Decl, found, func(p *passage) **ir.Method { return &p.out }, m)
				}
			}
		}
	}
	return found
}

// mark notes a method for a type and the types within it, where no other is noted.
func mark(d ir.Decl, result map[ir.Decl]passage, side func(*passage) **ir.Method, method *ir.Method) {
	p := result[d]
	if *side(&p) != nil {
		return
	}
	*side(&p) = method
	result[d] = p
	for _, held := range plan.Mentions(d) {
		mark(held, result, side, method)
	}
}

// droppedTails reports messages that programs get and are likely to send on: messages of a request,
// and of a reply or an event. Without the attribute, a program of an older release drops the fields
// that it does not know.
func (l *linter) droppedTails() {
	for _, d := range l.pkg.Decls {
		message, ok := d.(*ir.Message)
		p := l.passages[d]
		if !ok || message.KeepUnknown || p.in == nil || p.out == nil {
			continue
		}
		l.warn(codeDroppedTail, around(d), message.Span, "`%s` comes and goes, and a program that passes it on drops the fields of later releases", message.Name).
			WithRelated(p.in.Span, "it comes in requests").
			WithRelated(p.out.Span, "it goes in replies or events").
			WithHelp("write `@keep_unknown` before `message`, or waive this with `@allow` if nobody changes one and sends it on")
	}
}
