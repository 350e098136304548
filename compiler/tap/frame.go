package tap

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// Frame is a frame with its meaning.
type Frame struct {
	frame.Header
	Payload []byte
	Trailer Trailer
	// Method is that of the exchange, as Service/method, or with its number if no
	// schema names it; empty if it is not known.
	Method string
	// Notes are what a Hello, or the head of a request or an answer says.
	Notes string
	// Sections are the parts of the payload that are values, in order.
	Sections []Section
}

// Section is a part of a payload that is a value.
type Section struct {
	From, To int // in the payload
	// Codec is nil where no schema tells the type.
	Codec *interp.Codec
	// Refused is why it is none, where it can't be told by Codec: of a batch whose records
	// are none.
	Refused string
	// Head says that the frame's notes have what matters of the section. Another one
	// may follow it.
	Head bool
}

// Trailer is the kind of a frame's trailer.
type Trailer uint8

// The kinds of trailers.
const (
	TrailerHash  Trailer = iota // the hash of the frame
	TrailerZero                 // 0, where both sides have offered that it may be
	TrailerWrong                // anything else
)

// String is what people read.
func (t Trailer) String() string {
	return [...]string{"the hash", "0, as both sides have offered", "wrong"}[t]
}

// MarshalText is the word of JSON.
func (t Trailer) MarshalText() ([]byte, error) {
	return []byte([...]string{"hash", "zero", "wrong"}[t]), nil
}

// open reads a frame that a splitter has found.
func open(list []byte, mayBeZero bool) (*Frame, error) {
	decoded, err := frame.Decode(list, frame.Options{})
	trailer := TrailerHash
	if errors.Is(err, frame.ErrChecksum) {
		decoded, err = frame.Decode(list, frame.Options{Checksum: frame.ChecksumOff})
		trailer = TrailerWrong
		if mayBeZero && bytes.Equal(list[len(list)-frame.TrailerSize:], make([]byte, frame.TrailerSize)) {
			trailer = TrailerZero
		}
	}
	if err != nil {
		return nil, err
	}
	return &Frame{Header: decoded.Header, Payload: decoded.Payload, Trailer: trailer}, nil
}

// FlagNames are the names of a frame's flags, as frames.toml has them.
func (f *Frame) FlagNames() []string {
	set := []string{}
	for i, name := range flagNames {
		if f.Flags>>i&1 == 1 {
			set = append(set, name)
		}
	}
	return set
}

// FlagsText names the flags that a frame has.
func (f *Frame) FlagsText() string {
	return strings.ReplaceAll(strings.Join(f.FlagNames(), ", "), "_", " ")
}

// Line is the frame in a line: type and id, method, values as JSON, and what else
// there is to say.
func (f *Frame) Line() string {
	parts := []string{fmt.Sprintf("%s %d", f.Type, f.MessageID)}
	if f.Method != "" {
		parts = append(parts, f.Method)
	}
	for _, section := range f.Sections {
		if text := f.sectionText(section); text != "" {
			parts = append(parts, text)
		}
	}
	if f.Notes != "" {
		parts = append(parts, f.Notes)
	}
	if flags := f.FlagsText(); flags != "" {
		parts = append(parts, flags)
	}
	if f.Trailer == TrailerWrong {
		parts = append(parts, "the checksum is wrong")
	}
	return strings.Join(parts, "  ")
}

// sectionText is a value as JSON; of a head, the notes tell what matters.
func (f *Frame) sectionText(section Section) string {
	value := f.Payload[section.From:section.To]
	switch {
	case section.Head:
		return ""
	case section.Refused != "":
		return BytesText(value) + ", refused: " + section.Refused
	case section.Codec == nil && len(value) == 0 && !isBatch[f.Type]:
		return ""
	case section.Codec == nil:
		return BytesText(value)
	}
	line, err := talk.Line(section.Codec, value)
	if err != nil {
		return fmt.Sprintf("%s, refused: %s", BytesText(value), talk.Printable(err.Error()))
	}
	return line
}

// shownBytes is how many bytes are shown of a part that is not understood.
const shownBytes = 32

// BytesText is bytes that are not understood: how many, and the first of them in
// hexadecimal.
func BytesText(list []byte) string {
	noun, more := "bytes", ""
	if len(list) == 1 {
		noun = "byte"
	}
	shown := list
	if len(list) > shownBytes {
		shown, more = list[:shownBytes], " …"
	}
	if len(list) == 0 {
		return "0 bytes"
	}
	return fmt.Sprintf("%d %s (% x%s)", len(list), noun, shown, more)
}
