package golang

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// entry prints what users call: encoding and decoding one value in byte mode,
// and in message mode where the type has an id.
func (g *generator) entry(body *plan.Body) {
	if s, ok := body.Decl.(*ir.Struct); ok && s.Owner != nil {
		g.layoutPart(s)
		return
	}
	g.constants(body)
	g.encodeEntry(body)
	g.decodeEntry(body)
	if ir.IDOf(body.Decl) != nil {
		g.messageEntry(body)
	}
}

// constants prints the fingerprints and the layout.
func (g *generator) constants(body *plan.Body) {
	name := g.names.Of(body.Decl)
	prints := plan.FingerprintsOf(body.Decl)
	if id := ir.IDOf(body.Decl); id != nil {
		g.Line("// %sTypeID is the type id of %s in message mode.", name, name)
		g.Line("const %sTypeID uint16 = %d\n", name, id.Value)
	}
	g.Line("// %sFingerprint identifies the layout of %s, all segments together.", name, name)
	g.Line("const %sFingerprint uint64 = 0x%016x\n", name, prints.Cumulative[len(prints.Cumulative)-1])
	g.Line("// %sFingerprints returns the layout's fingerprints up to and with each", name)
	g.Line("// segment: two peers understand each other if one's list begins with the other's.")
	g.fingerprints(name+"Fingerprints", prints.Cumulative)
	g.Line("// %sSegmentFingerprints returns the fingerprint of each segment by itself.", name)
	g.fingerprints(name+"SegmentFingerprints", prints.Segments)
	g.Line("// %sLayout returns the canonical text of the layout, from which a peer can tell", name)
	g.Line("// which field differs.")
	g.Line("func %sLayout() string { return sdp.LayoutText((*%s)(nil)) }\n", name, name)
	g.layoutPart(body.Decl)
}

// fingerprints prints a function that returns them.
func (g *generator) fingerprints(name string, prints []uint64) {
	var list []string
	for _, print := range prints {
		list = append(list, fmt.Sprintf("0x%016x", print))
	}
	separator := ", "
	if len(list) > 3 {
		separator = ",\n"
	}
	g.Line("func %s() []uint64 { return []uint64{%s} }\n", name, strings.Join(list, separator))
}

// layoutPart prints what layout texts say of a type alone.
func (g *generator) layoutPart(d ir.Decl) {
	name, part := g.names.Of(d), plan.LayoutPartOf(d)
	arguments := "`" + part.Text + "`"
	for _, named := range part.Types {
		arguments += ", (*" + g.types.decl(named) + ")(nil)"
	}
	g.Line("// SDPLayout is what layout texts say of %s alone. It is for generated code.", name)
	g.Line("func (*%s) SDPLayout() sdp.LayoutPart {", name)
	g.Line("return sdp.NewLayoutPart(%s)\n}\n", arguments)
}

func (g *generator) encodeEntry(body *plan.Body) {
	g.block(emit.Vars{"name": g.names.Of(body.Decl)}, `
		// EncodedSize returns how many bytes the encoding of v has. For a value that
		// can't be encoded it means nothing.
		func (v *$name$) EncodedSize() int { return v.SDPSize(new(sdp.Encoder), 1) }

		// AppendBinary appends the encoding of v to b. It allocates only if b has no
		// room. An error leaves the length of b as it was.
		func (v *$name$) AppendBinary(b []byte) ([]byte, error) {
			var e sdp.Encoder
			p := len(b)
			if b = e.Extend(b, v.SDPSize(&e, 1)); !e.Refused {
				v.SDPEncode(&e, b, p)
			}
			if e.Refused {
				c := *v
				return b[:p], e.Refusal(&c)
			}
			return b, nil
		}

		// MarshalBinary returns the encoding of v in memory of its own.
		func (v *$name$) MarshalBinary() ([]byte, error) { return v.AppendBinary(nil) }

		// Encode$name$ returns the encoding of v in memory of its own.
		func Encode$name$(v *$name$) ([]byte, error) { return v.AppendBinary(nil) }

		// Encode$name$ToWriter writes the encoding of v to w, in one call.
		func Encode$name$ToWriter(v *$name$, w io.Writer) error { return sdp.EncodeToWriter(v, w) }

		// Validate reports the first thing in v that encoding would refuse, and text
		// that isn't UTF-8, which encoding trusts.
		func (v *$name$) Validate() error { return sdp.Validate(v) }
	`)
}

func (g *generator) decodeEntry(body *plan.Body) {
	g.block(emit.Vars{"name": g.names.Of(body.Decl), "factor": g.types.Factor(body.Decl)}, `
		// Decode$name$ decodes data, which holds one value and nothing else, into v. It
		// reuses the memory of v: slices with room, and strings whose bytes are the
		// same. After an error v holds a part of the value.
		func Decode$name$(v *$name$, data []byte) error {
			var d sdp.Decoder
			return d.End((*$name$)(nil), data, v.SDPDecode(&d, d.Start(data, $factor$), 1))
		}

		// UnmarshalBinary is Decode$name$ as encoding.BinaryUnmarshaler has it.
		func (v *$name$) UnmarshalBinary(data []byte) error { return Decode$name$(v, data) }

		// DecodeExact decodes data as UnmarshalBinary does, but only bytes that encode
		// to the same bytes again: no segment may be missing or unknown. It is for
		// signatures and hashes.
		func (v *$name$) DecodeExact(data []byte) error {
			return v.DecodeWith(data, sdp.DecodeOptions{Exact: true})
		}

		// DecodeWith decodes data into v by options.
		func (v *$name$) DecodeWith(data []byte, options sdp.DecodeOptions) error {
			var d sdp.Decoder
			return d.EndWith((*$name$)(nil), data, &options, v.SDPDecode(&d, d.StartWith(data, $factor$, &options), 1))
		}

		// DecodePrefix decodes a value from the start of data and returns how many
		// bytes it has. A message has no end of its own and takes all of data.
		func (v *$name$) DecodePrefix(data []byte, options sdp.DecodeOptions) (int, error) {
			var d sdp.Decoder
			return d.EndPrefix((*$name$)(nil), data, &options, v.SDPDecode(&d, d.StartWith(data, $factor$, &options), 1))
		}

		// Decode$name$FromReader reads all of r, which holds one value and nothing
		// else, and decodes it into v. Its memory grows with the bytes of r, up to the
		// limit of a message.
		func Decode$name$FromReader(v *$name$, r io.Reader) error { return sdp.DecodeFromReader(v, r) }
	`)
}

// messageEntry prints message mode: the payload is written behind room for the
// header, so the header costs no second allocation and no copy.
func (g *generator) messageEntry(body *plan.Body) {
	g.block(emit.Vars{"name": g.names.Of(body.Decl), "factor": g.types.Factor(body.Decl)}, `
		// AppendMessage appends v in message mode: the header, then the encoding. An
		// error leaves the length of b as it was.
		func (v *$name$) AppendMessage(b []byte) ([]byte, error) {
			var e sdp.Encoder
			p := len(b)
			if b = e.ExtendMessage(b, $name$TypeID, v.SDPSize(&e, 1)); !e.Refused {
				v.SDPEncode(&e, b, p+sdp.HeaderBytes)
			}
			if e.Refused {
				c := *v
				return b[:p], e.Refusal(&c)
			}
			return b, nil
		}

		// Encode$name$Message returns v in message mode in memory of its own.
		func Encode$name$Message(v *$name$) ([]byte, error) { return v.AppendMessage(nil) }

		// Decode$name$Message decodes a message that must be a $name$.
		func Decode$name$Message(data []byte) (*$name$, error) {
			v := new($name$)
			if err := v.UnmarshalMessage(data); err != nil {
				return nil, err
			}
			return v, nil
		}

		// UnmarshalMessage decodes a message that must be a $name$ into v.
		func (v *$name$) UnmarshalMessage(data []byte) error {
			payload, err := sdp.Payload(data, $name$TypeID, sdp.LimitMessageBytes)
			if err != nil {
				return err
			}
			var d sdp.Decoder
			return d.EndMessage((*$name$)(nil), data, payload, sdp.Limits{}, v.SDPDecode(&d, d.Start(payload, $factor$), 1))
		}

		// UnmarshalMessageWith decodes a message that must be a $name$ into v, by
		// options.
		func (v *$name$) UnmarshalMessageWith(data []byte, options sdp.DecodeOptions) error {
			payload, err := sdp.Payload(data, $name$TypeID, options.MessageBytes())
			if err != nil {
				return err
			}
			var d sdp.Decoder
			return d.EndMessage((*$name$)(nil), data, payload, options.Limits, v.SDPDecode(&d, d.StartWith(payload, $factor$, &options), 1))
		}
	`)
}
