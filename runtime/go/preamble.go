package sdp

import (
	"encoding/binary"
	"reflect"
	"strings"
)

// preambleVersion is the fourth byte of a preamble, where a message has its
// version.
const preambleVersion = 'S'

// isPreamble reports whether a header, or its first bytes, is a preamble's.
func isPreamble(header []byte) bool {
	return len(header) > versionAt && string(header[:typeIDAt]) == "SDPS"
}

// AppendPreamble appends the preamble that stands in front of messages of a type
// [WIRE-11.7]. A layout text of more than LayoutTextBytes is ErrValueTooLarge.
func AppendPreamble(b []byte, typeID uint16, layout string) ([]byte, error) {
	if len(layout) > LayoutTextBytes {
		return b, &Error{Kind: ErrValueTooLarge, Offset: -1}
	}
	b = append(b, "SDPS"...)
	b = binary.LittleEndian.AppendUint16(b, typeID)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(layout)))
	return append(b, layout...), nil
}

// checkPreamble holds the layout text of a preamble against that of the message's
// type; nil is one of a type that is unknown [WIRE-11.9].
func checkPreamble(message Message, layout []byte) error {
	if message == nil {
		return nil
	}
	text := string(layout)
	if !IsLayoutText(text) {
		return &Error{Kind: ErrLayoutMismatch, Offset: HeaderBytes}
	}
	// A type is known by its nil pointer, for which its text is kept.
	own := reflect.Zero(reflect.TypeOf(message)).Interface().(Described)
	difference := LayoutDifference(LayoutText(own), text)
	if difference == "" {
		return nil
	}
	path, _, _ := strings.Cut(difference, ":")
	return &Error{Kind: ErrLayoutMismatch, Offset: HeaderBytes, Path: path}
}
