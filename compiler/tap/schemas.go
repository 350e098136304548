package tap

import (
	"sync"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
	"github.com/serial-data-protocol/sdp/spec"
)

// schema is one of the specification's, with a codec for each of its types.
type schema struct {
	program *plan.Program
	pkg     *ir.Package
	codecs  map[string]*interp.Codec
}

func compiled(name, text string) func() *schema {
	return sync.OnceValue(func() *schema {
		found, problems := check.Program(check.Memory{name: text}, []string{name}, func(*syntax.File) string { return "" })
		if found == nil {
			panic("tap: " + name + ": " + problems.Sorted()[0].Message) // a test reads both
		}
		s := &schema{program: plan.New(found), pkg: found.Roots[0], codecs: map[string]*interp.Codec{}}
		for _, d := range s.pkg.Decls {
			if codec, err := interp.New(s.program, d); err == nil {
				s.codecs[d.DeclName()] = codec
			}
		}
		return s
	})
}

var (
	control  = compiled("mxp.sdp", spec.MXP)
	registry = compiled("registry.sdp", spec.Registry)
	capture  = compiled("capture.sdp", spec.Capture)
)

// own is the codec of a type of the protocol's own frames.
func own(name string) *interp.Codec {
	if codec := control().codecs[name]; codec != nil {
		return codec
	}
	return registry().codecs[name]
}
