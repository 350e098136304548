package sdp

import "encoding/hex"

// UUID is a uuid, its bytes in the order in which RFC 9562 prints them. Any
// pattern is valid; the zero value is the nil uuid.
type UUID [16]byte

// uuidTextBytes is the length of a uuid's text.
const uuidTextBytes = 36

// ParseUUID reads the form that String writes, in lower or upper case, and no
// other. The error is of kind ErrValueInvalid.
func ParseUUID(text string) (UUID, error) {
	u, ok := parseUUID(text)
	if !ok {
		return UUID{}, Invalid()
	}
	return u, nil
}

func parseUUID[T string | []byte](text T) (u UUID, ok bool) {
	if len(text) != uuidTextBytes || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return UUID{}, false
	}
	digits := make([]byte, 0, 2*len(u))
	digits = append(digits, text[:8]...)
	digits = append(digits, text[9:13]...)
	digits = append(digits, text[14:18]...)
	digits = append(digits, text[19:23]...)
	digits = append(digits, text[24:]...)
	_, err := hex.Decode(u[:], digits)
	return u, err == nil
}

// String is the uuid as 32 lower-case hexadecimal digits and four hyphens, for
// instance "f81d4fae-7dec-11d0-a765-00a0c91e6bf6".
func (u UUID) String() string { return string(u.appendText(nil)) }

// MarshalText is String as encoding.TextMarshaler has it. It never fails.
func (u UUID) MarshalText() ([]byte, error) { return u.appendText(nil), nil }

// UnmarshalText is ParseUUID as encoding.TextUnmarshaler has it. An error leaves
// u as it was.
func (u *UUID) UnmarshalText(text []byte) error {
	parsed, ok := parseUUID(text)
	if !ok {
		return Invalid()
	}
	*u = parsed
	return nil
}

func (u UUID) appendText(b []byte) []byte {
	for i, part := range [...][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if i > 0 {
			b = append(b, '-')
		}
		b = hex.AppendEncode(b, part)
	}
	return b
}
