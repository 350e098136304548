package sdp

import "encoding/binary"

// The places of the header's parts [WIRE-10].
const (
	versionAt = 3
	typeIDAt  = 4
	lengthAt  = 6
)

// Payload returns the payload of input in message mode. It refuses a header that
// isn't that of the type, a payload that isn't whole, and one of more than
// messageBytes bytes [WIRE-10.2] to [WIRE-10.8]; bytes may follow the payload.
// It is for generated code, and small enough to become part of it.
func Payload(input []byte, typeID uint16, messageBytes int) ([]byte, error) {
	if len(input) >= HeaderBytes && binary.LittleEndian.Uint64(input)<<16 == headerMagic<<16|uint64(typeID)<<48 {
		n := uint64(binary.LittleEndian.Uint32(input[lengthAt:]))
		if body := input[HeaderBytes:]; n <= uint64(len(body)) && n <= uint64(messageBytes) {
			return body[:n], nil
		}
	}
	return nil, explainHeader(input, typeID, messageBytes)
}

// explainHeader names the refusal of input that Payload would not take.
func explainHeader(input []byte, typeID uint16, messageBytes int) *Error {
	id, err := ReadTypeID(input)
	if err != nil {
		return err
	}
	n := uint64(binary.LittleEndian.Uint32(input[lengthAt:]))
	switch {
	case id != typeID:
		return &Error{Kind: ErrTypeIDMismatch, Offset: typeIDAt}
	case n > uint64(messageBytes):
		return &Error{Kind: ErrLimitMessageBytes, Offset: lengthAt}
	}
	return &Error{Kind: ErrPayloadLength, Offset: lengthAt}
}

// ReadTypeID returns the type id of input in message mode, after the checks that
// come before it [WIRE-10.2] to [WIRE-10.4]. It is for dispatchers.
func ReadTypeID(input []byte) (uint16, *Error) {
	if len(input) < HeaderBytes || binary.LittleEndian.Uint32(input) != headerMagic {
		return 0, damagedHeader(input)
	}
	return uint16(input[typeIDAt]) | uint16(input[typeIDAt+1])<<8, nil
}

// damagedHeader names the refusal of a header that is cut or isn't SDP's. The
// bytes that are there are compared first.
func damagedHeader(input []byte) *Error {
	if err := checkMagic(input); err != nil {
		return err
	}
	return &Error{Kind: ErrTruncated, Offset: headerItem(len(input))}
}

// checkMagic compares as much of the first four bytes as is there.
func checkMagic(input []byte) *Error {
	for i, c := range []byte("SDP") {
		if i < len(input) && input[i] != c {
			return &Error{Kind: ErrMagicInvalid, Offset: 0}
		}
	}
	if len(input) > versionAt && input[versionAt] != '2' {
		return &Error{Kind: ErrVersionUnsupported, Offset: versionAt}
	}
	return nil
}

// headerItem is the place of the item that a header of n bytes, fewer than it
// should have, cuts or lacks [WIRE-10.4].
func headerItem(n int) int {
	switch {
	case n < typeIDAt:
		return 0
	case n < lengthAt:
		return typeIDAt
	}
	return lengthAt
}

// UnknownTypeID is a dispatcher's refusal of a type id that its package doesn't
// have [WIRE-10.6].
func UnknownTypeID() *Error { return &Error{Kind: ErrTypeIDUnknown, Offset: typeIDAt} }
