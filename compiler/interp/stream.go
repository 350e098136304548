package interp

import (
	"errors"
	"io"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// Stream reads messages in message mode, one after another [WIRE-11]. Offsets
// count from each message's own header.
type Stream struct {
	program *plan.Program
	pkg     *ir.Package
	source  io.Reader
	limits  Limits
	header  Header
	codec   *Codec // of the message that Next found, until Walk has read it
	unread  int64  // payload bytes that the next Next passes over
	passed  int64  // bytes of preambles that the last Next passed over
	failed  error
}

// NewStream reads the messages of one package's types. Of opts it takes the
// limits.
func NewStream(program *plan.Program, pkg *ir.Package, source io.Reader, opts Options) *Stream {
	return &Stream{program: program, pkg: pkg, source: source, limits: opts.limits()}
}

// Next reads the next header and returns its type. It returns io.EOF at the
// clean end. Before type_id_unknown the message was passed over, and the stream
// can go on; any other refusal is returned by all later calls. A message that
// Walk hasn't read is passed over. So are preambles, once they are checked.
func (s *Stream) Next() (ir.Decl, error) {
	if s.failed != nil {
		return nil, s.failed
	}
	s.passed = 0
	for {
		d, err := s.next()
		if err != nil {
			return nil, err
		}
		if !s.header.IsPreamble() {
			if d == nil {
				return nil, refuseHeader(ErrTypeIDUnknown, TypeIDOffset, "no type of %s has the id %d", s.pkg.Name, s.header.TypeID())
			}
			s.codec, err = New(s.program, d)
			return d, err
		}
		if d != nil {
			if err := s.preamble(d); err != nil {
				return nil, s.fail(err)
			}
		}
		s.passed += HeaderBytes + s.header.Payload()
	}
}

// next reads a header, and gives its type; nil for a type that is unknown, whose payload
// is passed over.
func (s *Stream) next() (ir.Decl, error) {
	if err := s.discard(); err != nil {
		return nil, s.fail(err)
	}
	header := make(Header, HeaderBytes)
	n, err := io.ReadFull(s.source, header)
	s.header = header[:n]
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, s.fail(err) // io.EOF where nothing was read
	}
	if refusal := s.header.InStream().check(); refusal != nil {
		return nil, s.fail(refusal)
	}
	s.unread = header.Payload()
	d := declOf(s.pkg, header.TypeID())
	if d == nil {
		if err := s.discard(); err != nil {
			return nil, s.fail(err)
		}
		return nil, nil
	}
	most := s.limits.MessageBytes
	if header.IsPreamble() {
		most = min(most, LayoutTextBytes)
	}
	if s.unread > most {
		return nil, s.fail(refuseHeader(ErrLimitMessageBytes, payloadOffset,
			"%d bytes, and the limit is %d", s.unread, most))
	}
	return d, nil
}

// preamble holds the layout text of a preamble against that of its type.
func (s *Stream) preamble(d ir.Decl) error {
	text := make([]byte, s.unread)
	n, err := io.ReadFull(s.source, text)
	s.unread -= int64(n)
	switch {
	case errors.Is(err, io.EOF):
		return s.truncated()
	case err != nil:
		return err
	}
	if refusal := CheckPreamble(d, text); refusal != nil {
		return refusal
	}
	return nil
}

// Passed is how many bytes of preambles the last Next passed over.
func (s *Stream) Passed() int64 { return s.passed }

// Header is the bytes of the header that Next read last, ten unless the source
// ended in them. It is valid until the next Next.
func (s *Stream) Header() Header { return s.header }

// Walk reads the message that Next found and hands its header and its items to
// visit, while they arrive: what a visitor saw of a message that is refused is
// not to be relied on.
func (s *Stream) Walk(opts Options, visit Visitor) error {
	if s.failed != nil {
		return s.failed
	}
	if s.codec == nil {
		return errors.New("interp: a stream has no message before Next")
	}
	codec := s.codec
	s.codec = nil
	payload := &io.LimitedReader{R: s.source, N: s.unread}
	in := FromReader(payload, s.unread)
	in.buffer = s.header
	opts.Mode, opts.Limits = MessageMode, &s.limits
	_, err := codec.Walk(in, opts, visit)
	s.unread = payload.N
	var refusal *Refusal
	if errors.As(err, &refusal) {
		// A source that ends before the payload does is refused for that.
		if short := s.discard(); short != nil {
			err = short
		}
	}
	if err != nil {
		return s.fail(err)
	}
	return nil
}

// Decode makes a value of the message that Next found.
func (s *Stream) Decode(opts Options) (Value, error) {
	d := decoder{memory: s.limits.MemoryBytes}
	err := s.Walk(opts, d.visit)
	return d.value, err
}

// discard reads what is left of a payload.
func (s *Stream) discard() error {
	n, err := io.CopyN(io.Discard, s.source, s.unread)
	s.unread -= n
	s.codec = nil
	if errors.Is(err, io.EOF) {
		return s.truncated()
	}
	return err
}

func (s *Stream) truncated() error {
	return refuseHeader(ErrTruncated, payloadOffset, "the source ends %d bytes before the payload does", s.unread)
}

// fail ends the stream. An end inside a payload is a refusal there.
func (s *Stream) fail(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = s.truncated()
	}
	s.failed = err
	return err
}
