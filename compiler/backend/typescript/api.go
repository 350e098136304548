package typescript

import (
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

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

func (g *generator) vars(d ir.Decl) emit.Vars {
	return emit.Vars{"name": g.names.Of(d), "read": g.own("read", d), "write": g.own("write", d)}
}

func (g *generator) bytes(d ir.Decl) {
	g.Emit(g.vars(d), `
		/** Decodes a $name$ from bytes that hold nothing else. */
		export function decode$name$(bytes: Uint8Array, options?: sdp.DecodeOptions<$name$>): $name$ {
			return sdp.decode($read$, $name$, bytes, options);
		}

		/** Encodes a $name$, into memory of its own, or at the start of into; returns the bytes that it has. */
		export function encode$name$(value: $name$, into?: Uint8Array): Uint8Array {
			return sdp.encode($write$, $name$, value, into);
		}

	`)
}

func (g *generator) framed(d ir.Decl) {
	g.Emit(g.vars(d), `
		/** Decodes a message that must be a $name$. */
		export function decode$name$Message(bytes: Uint8Array, options?: sdp.DecodeOptions<$name$>): $name$ {
			return sdp.decodeMessage({ type: $name$, read: $read$ }, bytes, options);
		}

		/** Encodes a $name$ in message mode: a header, then its bytes. */
		export function encode$name$Message(value: $name$, into?: Uint8Array): Uint8Array {
			return sdp.encodeMessage($write$, $name$, value, into);
		}

	`)
}

func (g *generator) dispatcher() {
	g.Line("/** A message of any type of this package. */")
	g.Line("export type Message =")
	g.In(func() {
		for _, d := range g.withID() {
			g.Line("| { type: %s; value: %s }", quote(g.names.Of(d)), g.names.Of(d))
		}
	})
	g.CutSuffix("\n")
	g.Raw(";\n\n")
	g.Line("const $framed: readonly sdp.Framed[] = [")
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
	g.Line("] as const;\n")
	g.Raw(`function $named(of: sdp.Framed, value: unknown): Message {
  return { type: $names[$framed.indexOf(of)], value } as Message;
}

/** Decodes a message of any type of this package. */
export function decodeMessage(bytes: Uint8Array, options?: sdp.DecodeOptions): Message {
  return sdp.dispatch($framed, $named, bytes, options);
}

/** Reads messages of this package, one behind another. */
export function readMessages(source: sdp.Source, options?: sdp.DecodeOptions): sdp.MessageReader<Message> {
  return new sdp.MessageReader(source, $framed, $named, options);
}`)
}
