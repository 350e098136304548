package vectors

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// Mode is how a case's bytes are read, in the words of the conformance vectors.
type Mode string

// The modes.
const (
	Bytes    Mode = "bytes"    // one value
	Exact    Mode = "exact"    // one value whose messages have the known segments
	Message  Mode = "message"  // one message of a known type
	Dispatch Mode = "dispatch" // one message of any type
	Stream   Mode = "stream"   // messages one after another
)

// Limits are the limits of one decode; 0 is the default.
type Limits struct{ MessageBytes, Elements, Depth int64 }

// Answer is what an implementation says of bytes: a value, or a refusal.
type Answer struct {
	// JSON is the value as canonical JSON, and Encoding its bytes.
	JSON     string
	Encoding []byte
	// Type is the value's, where the bytes tell it.
	Type string
	// Error is the refusal's name, empty where the bytes are accepted; Offset is -1 where
	// it has none.
	Error  string
	Offset int64
	Path   string
	// End is the clean end of a stream.
	End bool
}

// Case is one vector. Of a stream, Reads is what each read gives, else there is one.
type Case struct {
	Name, About string
	Type        ir.Decl // nil for a dispatcher that refuses, and for a stream
	Mode        Mode
	Bytes       []byte
	Limits      Limits
	Reads       []Answer

	// nanBits says that bytes that are read exactly have a NaN of other bits than the usual one.
	nanBits bool
}

// Accepts reports whether the case is no refusal.
func (c *Case) Accepts() bool { return c.Mode == Stream || c.Reads[0].Error == "" }

// judge answers as the interpreter does.
type judge struct {
	pkg   *ir.Package
	codec *interp.Codec
	decl  ir.Decl
}

func (l Limits) options(mode Mode) interp.Options {
	limits := interp.DefaultLimits()
	if l.MessageBytes > 0 {
		limits.MessageBytes = l.MessageBytes
	}
	if l.Elements > 0 {
		limits.Elements = l.Elements
	}
	if l.Depth > 0 {
		limits.Depth = int(l.Depth)
	}
	options := interp.Options{Exact: mode == Exact, Limits: &limits}
	if mode == Message || mode == Dispatch {
		options.Mode = interp.MessageMode
	}
	return options
}

// answer is what becomes of bytes.
func (j *judge) answer(mode Mode, data []byte, limits Limits) (Answer, error) {
	options := limits.options(mode)
	value, err := j.codec.Decode(data, options)
	if err != nil {
		return refused(err)
	}
	accepted, err := j.accepted(value, options.Mode)
	if bytes.Equal(accepted.Encoding, data) {
		accepted.Encoding = data // once in memory
	}
	return accepted, err
}

func (j *judge) accepted(value interp.Value, mode interp.Mode) (Answer, error) {
	encoding, err := j.codec.Append(nil, value, mode)
	if err != nil {
		return Answer{}, fmt.Errorf("%s: a value that was decoded has no encoding: %w", ir.FullName(j.decl), err)
	}
	var text bytes.Buffer
	if err := j.codec.WriteJSON(&text, interp.FromBytes(encoding), interp.Options{Mode: mode}); err != nil {
		return Answer{}, fmt.Errorf("%s: a value that was decoded has no JSON: %w", ir.FullName(j.decl), err)
	}
	a := Answer{JSON: text.String(), Encoding: encoding}
	if mode == interp.MessageMode {
		a.Type = j.decl.DeclName()
	}
	return a, nil
}

// meetsNaN reports whether bytes have a NaN of other bits than the usual one, as far as
// they can be read.
func (j *judge) meetsNaN(data []byte) bool {
	met := false
	_, _ = j.codec.Walk(interp.FromBytes(data), interp.Options{}, func(e *interp.Event) error {
		met = met || e.Kind == interp.ScalarEvent && strings.HasPrefix(e.Text(), `"NaN:`)
		return nil
	})
	return met
}

func refused(err error) (Answer, error) {
	var refusal *interp.Refusal
	if !errors.As(err, &refusal) {
		return Answer{}, err
	}
	return Answer{Error: refusal.Kind.String(), Offset: refusal.Offset, Path: refusal.Path}, nil
}

// reads is what each read of a stream gives, one more after a refusal that ends it.
func (m *maker) reads(data []byte) ([]Answer, error) {
	stream := interp.NewStream(m.program, m.pkg, bytes.NewReader(data), interp.Options{})
	var all []Answer
	for failed := false; ; {
		decl, err := stream.Next()
		if errors.Is(err, io.EOF) {
			return append(all, Answer{End: true}), nil
		}
		var a Answer
		if err == nil {
			var value interp.Value
			if value, err = stream.Decode(interp.Options{}); err == nil {
				a, err = m.judges[decl].accepted(value, interp.MessageMode)
			}
		}
		if err != nil {
			if a, err = refused(err); err != nil {
				return nil, err
			}
		}
		all = append(all, a)
		if a.Error != "" && a.Error != interp.ErrTypeIDUnknown.String() {
			if failed {
				return all, nil
			}
			failed = true
		}
	}
}
