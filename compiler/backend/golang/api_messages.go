package golang

import (
	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// messages prints the package's dispatcher and its streams.
func (g *generator) messages() {
	g.Line("// FingerprintOfSource identifies the schema's text without its comments and layout.")
	g.Line("const FingerprintOfSource uint64 = 0x%016x", plan.SourceFingerprint(g.pkg))
	g.Line("")
	if len(g.withID()) > 0 {
		g.dispatcher()
	}
	for _, d := range g.pkg.Decls {
		switch d.(type) {
		case *ir.Struct, *ir.Union:
			g.lists(d)
		}
	}
}

// withID are the package's types that have a type id.
func (g *generator) withID() []ir.Decl {
	var decls []ir.Decl
	for _, d := range g.pkg.Decls {
		if ir.IDOf(d) != nil {
			decls = append(decls, d)
		}
	}
	return decls
}

func (g *generator) dispatcher() {
	g.block(emit.Vars{
		"types": func() {
			for _, d := range g.withID() {
				g.Line("//   - *%s", g.names.Of(d))
			}
		},
		"cases": func() {
			for _, d := range g.withID() {
				g.Line("case %sTypeID:", g.names.Of(d))
				g.In(func() { g.Line("return new(%s)", g.names.Of(d)) })
			}
		},
	}, `
		// newMessage returns an empty value of the type with an id, nil for an id that
		// this package doesn't have.
		func newMessage(typeID uint16) sdp.Message {
			switch typeID {
				$cases$
			}
			return nil
		}

		// DecodeMessage decodes a message of any type of this package. It returns one
		// of
		//
		$types$
		func DecodeMessage(data []byte) (sdp.Message, error) {
			return DecodeMessageWith(data, sdp.DecodeOptions{})
		}

		// DecodeMessageWith is DecodeMessage by options.
		func DecodeMessageWith(data []byte, options sdp.DecodeOptions) (sdp.Message, error) {
			return sdp.Dispatch(data, options, newMessage)
		}

		// NewMessageReader reads messages of this package's types from r, one at a time.
		func NewMessageReader(r io.Reader) *sdp.MessageReader { return sdp.NewMessageReader(r, newMessage) }

		// NewMessageWriter writes messages to w, one at a time.
		func NewMessageWriter(w io.Writer) *sdp.MessageWriter { return sdp.NewMessageWriter(w) }
	`)
}

func (g *generator) lists(d ir.Decl) {
	g.block(emit.Vars{"name": g.names.Of(d), "factor": g.types.Factor(d)}, `
		// $name$ListReader reads a list of $name$ one element at a time.
		type $name$ListReader = sdp.ListReader[$name$, *$name$]

		// New$name$ListReader reads the bytes of a []$name$ from r, one element at a
		// time.
		func New$name$ListReader(r io.Reader) *$name$ListReader {
			return sdp.NewListReader[$name$](r, $factor$)
		}

		// $name$ListWriter writes a list of $name$ one element at a time.
		type $name$ListWriter = sdp.ListWriter[$name$, *$name$]

		// New$name$ListWriter writes the bytes of a []$name$ with n elements to w, one
		// element at a time.
		func New$name$ListWriter(w io.Writer, n uint32) (*$name$ListWriter, error) {
			return sdp.NewListWriter[$name$](w, n)
		}
	`)
}
