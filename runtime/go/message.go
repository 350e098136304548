package sdp

import (
	"encoding/binary"
	"errors"
	"io"
	"iter"
)

// Message is a generated type that has a type id.
type Message interface {
	Described
	// AppendMessage appends the value in message mode.
	AppendMessage(b []byte) ([]byte, error)
	// UnmarshalMessageWith decodes a message of this type.
	UnmarshalMessageWith(data []byte, options DecodeOptions) error
	// EncodedSize is the size of the encoding without the header.
	EncodedSize() int
	// Validate reports what can't be encoded.
	Validate() error
}

// readStepBytes is how much of a message is asked for at once, so that a
// declared length that never arrives costs no more than this.
const readStepBytes = 64 << 10

// MessageReader reads messages of one package one after the other. It holds one
// message at a time, and never more bytes than it has received. It is for one
// goroutine.
type MessageReader struct {
	r       io.Reader
	make    func(typeID uint16) Message
	options DecodeOptions
	buf     []byte
	err     error // what ended the stream
}

// NewMessageReader reads messages from r. Generated packages call it with what
// makes an empty value for a type id, nil for one they don't have.
func NewMessageReader(r io.Reader, make func(typeID uint16) Message) *MessageReader {
	return &MessageReader{r: r, make: make}
}

// SetOptions makes the reader decode by options. The reader's buffer is reused,
// so AliasInput makes a message valid only until the next is read.
func (m *MessageReader) SetOptions(options DecodeOptions) { m.options = options }

// Next returns the next message. At the end of the stream the error is io.EOF.
// After an ErrTypeIDUnknown, whose message was skipped, reading can go on; any
// other error ends the stream and is returned from then on.
func (m *MessageReader) Next() (Message, error) {
	if m.err != nil {
		return nil, m.err
	}
	message, err := m.next()
	if err != nil && !errors.Is(err, ErrTypeIDUnknown) {
		m.err = err
	}
	return message, err
}

// All yields the messages until the end of the stream. An ErrTypeIDUnknown is
// yielded and reading goes on; any other error is yielded last.
func (m *MessageReader) All() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		for {
			message, err := m.Next()
			if err == io.EOF {
				return
			}
			if !yield(message, err) || m.err != nil {
				return
			}
		}
	}
}

func (m *MessageReader) next() (Message, error) {
	for {
		message, err := m.receive()
		if err != nil {
			return nil, err
		}
		if m.buf[versionAt] == preambleVersion {
			err = checkPreamble(message, m.buf[HeaderBytes:])
			if err != nil {
				return nil, err
			}
			continue
		}
		if message == nil {
			return nil, UnknownTypeID()
		}
		if err := message.UnmarshalMessageWith(m.buf, m.options); err != nil {
			return nil, err
		}
		return message, nil
	}
}

// receive brings the next message or preamble into the buffer, and makes an empty
// value of its type; nil for a type that is unknown, whose payload is skipped.
func (m *MessageReader) receive() (Message, error) {
	if err := m.header(); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(m.buf[lengthAt:])
	message := m.make(binary.LittleEndian.Uint16(m.buf[typeIDAt:]))
	if message == nil {
		return nil, m.skip(int64(n))
	}
	most := m.options.Limits.filled().MessageBytes
	if m.buf[versionAt] == preambleVersion {
		most = min(most, LayoutTextBytes)
	}
	if uint64(n) > uint64(most) {
		return nil, &Error{Kind: ErrLimitMessageBytes, Offset: lengthAt}
	}
	return message, m.payload(int(n))
}

// header reads the ten bytes before a payload. The end of the stream is clean
// only before the first of them.
func (m *MessageReader) header() error {
	if cap(m.buf) < HeaderBytes {
		m.buf = make([]byte, 0, 512)
	}
	m.buf = m.buf[:HeaderBytes]
	n, err := io.ReadFull(m.r, m.buf)
	if n == 0 && err == io.EOF {
		return io.EOF
	}
	if err != nil && err != io.ErrUnexpectedEOF {
		return err
	}
	if refusal := checkMagic(m.buf[:n]); refusal != nil && !isPreamble(m.buf[:n]) {
		return refusal
	}
	if err != nil {
		return &Error{Kind: ErrTruncated, Offset: headerItem(n)}
	}
	return nil
}

// payload reads n bytes behind the header, in steps.
func (m *MessageReader) payload(n int) error {
	for need := n; need > 0; {
		at := len(m.buf)
		step := min(need, max(readStepBytes, cap(m.buf)-at))
		m.buf = append(m.buf, make([]byte, step)...)
		if _, err := io.ReadFull(m.r, m.buf[at:]); err != nil {
			return cut(err)
		}
		need -= step
	}
	return nil
}

// skip passes the payload of a message whose type is unknown [WIRE-11.4].
func (m *MessageReader) skip(n int64) error {
	if _, err := io.CopyN(io.Discard, m.r, n); err != nil {
		return cut(err)
	}
	return nil
}

// cut is the refusal of a payload that ends too early.
func cut(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return &Error{Kind: ErrTruncated, Offset: 6}
	}
	return err
}

// Dispatch decodes a message into what makeEmpty makes for its type id. It is
// for generated code.
func Dispatch(data []byte, options DecodeOptions, makeEmpty func(typeID uint16) Message) (Message, error) {
	typeID, refusal := ReadTypeID(data)
	if refusal != nil {
		return nil, refusal
	}
	message := makeEmpty(typeID)
	if message == nil {
		return nil, UnknownTypeID()
	}
	if err := message.UnmarshalMessageWith(data, options); err != nil {
		return nil, err
	}
	return message, nil
}

// MessageWriter writes messages one after the other. It holds one at a time and
// is for one goroutine.
type MessageWriter struct {
	w   io.Writer
	buf []byte
}

// NewMessageWriter writes messages to w, each in one call.
func NewMessageWriter(w io.Writer) *MessageWriter { return &MessageWriter{w: w} }

// Write writes one message. A message that can't be encoded writes nothing.
func (m *MessageWriter) Write(message Message) error {
	b, err := message.AppendMessage(m.buf[:0])
	if err != nil {
		return err
	}
	m.buf = b
	return WriteAll(m.w, b)
}

// WritePreamble writes the layout text of a type in front of its messages, which
// readers hold against their own [WIRE-11.7]: the constant and the function whose
// names begin with the type's and end in TypeID and Layout. Readers of releases
// before 0.4 refuse it as another version.
func (m *MessageWriter) WritePreamble(typeID uint16, layout string) error {
	b, err := AppendPreamble(m.buf[:0], typeID, layout)
	if err != nil {
		return err
	}
	m.buf = b
	return WriteAll(m.w, b)
}

// WriteAll writes b in one call and turns a short write into an error.
func WriteAll(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if err == nil && n < len(b) {
		return io.ErrShortWrite
	}
	return err
}

// EncodeToWriter writes the encoding of v in one call. It is for generated code.
func EncodeToWriter(v interface{ MarshalBinary() ([]byte, error) }, w io.Writer) error {
	b, err := v.MarshalBinary()
	if err != nil {
		return err
	}
	return WriteAll(w, b)
}

// DecodeFromReader decodes all of r, up to one byte more than the limit of a message,
// which decoding then refuses. It is for generated code.
func DecodeFromReader(v interface{ UnmarshalBinary(data []byte) error }, r io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(r, LimitMessageBytes+1))
	if err != nil {
		return err
	}
	return v.UnmarshalBinary(data)
}
