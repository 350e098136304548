package typescript

import "github.com/serial-data-protocol/sdp/compiler/ir"

// messages prints what users call: encoding and decoding in byte mode, in message mode
// where a type has an id, and of any type of the package.
func (g *generator) messages() {
	for _, d := range g.pkg.Decls {
		if _, isEnum := d.(*ir.Enum); !isEnum {
			g.bytes(d)
		}
		if ir.IDOf(d) != nil {
			g.framed(d)
		}
	}
	if len(g.withID()) > 0 {
		g.dispatcher()
	}
}

func (g *generator) bytes(d ir.Decl) {
	name := g.names.Of(d)
	g.Line("/** Decodes a %s from bytes that hold nothing else. */", name)
	g.function("decode"+name, []string{"bytes: Uint8Array", "options?: sdp.DecodeOptions<" + name + ">"}, name, func() {
		g.Line("return sdp.decode(%s, %s, bytes, options);", g.own("read", d), name)
	})
	g.Line("/** Encodes a %s, into memory of its own, or at the start of output; returns the bytes that it has. */", name)
	g.function("encode"+name, []string{"value: " + name, "output?: Uint8Array"}, "Uint8Array", func() {
		g.Line("return sdp.encode(%s, %s, value, output);", g.own("write", d), name)
	})
}

func (g *generator) framed(d ir.Decl) {
	name := g.names.Of(d)
	g.Line("/** Decodes a message that must be a %s. */", name)
	g.function("decode"+name+"Message", []string{"bytes: Uint8Array", "options?: sdp.DecodeOptions<" + name + ">"}, name, func() {
		g.Line("return sdp.decodeMessage({ type: %s, read: %s }, bytes, options);", name, g.own("read", d))
	})
	g.Line("/** Encodes a %s in message mode: a header, then its bytes. */", name)
	g.function("encode"+name+"Message", []string{"value: " + name, "output?: Uint8Array"}, "Uint8Array", func() {
		g.Line("return sdp.encodeMessage(%s, %s, value, output);", g.own("write", d), name)
	})
}

func (g *generator) dispatcher() {
	g.typed(func() {
		g.Line("/** A message of any type of this package. */")
		g.Line("export type Message =")
		g.In(func() {
			for _, d := range g.withID() {
				g.Line("| { type: %s; value: %s }", quote(g.names.Of(d)), g.names.Of(d))
			}
		})
		g.CutSuffix("\n")
		g.Raw(";\n\n")
	})
	g.code(func() {
		g.Line("const $framed%s = [", typed(": readonly sdp.Framed[]"))
		g.In(func() {
			for _, d := range g.withID() {
				g.Line("{ type: %[1]s, read: read%[1]s$ },", g.names.Of(d))
			}
		})
		g.Line("];\n")
		g.Line("const $names = [")
		g.In(func() {
			for _, d := range g.withID() {
				g.Line("%s,", quote(g.names.Of(d)))
			}
		})
		g.Line("]%s;\n", typed(" as const"))
		g.Line("function $named(framed%s, value%s)%s {", typed(": sdp.Framed"), typed(": unknown"), typed(": Message"))
		g.In(func() { g.Line("return { type: $names[$framed.indexOf(framed)], value }%s;", typed(" as Message")) })
		g.Line("}\n")
	})
	g.Line("/** Decodes a message of any type of this package. */")
	g.function("decodeMessage", []string{"bytes: Uint8Array", "options?: sdp.DecodeOptions"}, "Message", func() {
		g.Line("return sdp.dispatch($framed, $named, bytes, options);")
	})
	g.Line("/** Reads messages of this package, one behind another. */")
	g.function("readMessages", []string{"source: sdp.Source", "options?: sdp.DecodeOptions"}, "sdp.MessageReader<Message>", func() {
		g.Line("return new sdp.MessageReader(source, $framed, $named, options);")
	})
}
