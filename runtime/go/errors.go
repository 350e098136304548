package sdp

import "strconv"

// Error is what encoding, decoding and validating return: which rule was
// broken, where in the bytes, and in which field.
//
//	var e *sdp.DecodeError
//	if errors.As(err, &e) {
//		log.Printf("%s at byte %d in %s", e.Kind, e.Offset, e.Path)
//	}
//	if errors.Is(err, sdp.ErrTruncated) { … }
type Error struct {
	// Kind names the rule, by the same name in every language.
	Kind Kind
	// Offset counts bytes from the start of the caller's slice, of a stream from
	// the start of its current message. It is -1 when encoding and validating.
	Offset int
	// Path is the field, for instance "plugins[3].parameters[0].unit"; empty for
	// the value itself.
	Path string
}

// DecodeError is Error by the name that reads best where bytes are decoded.
type DecodeError = Error

// Error is the message: kind, offset and path.
func (e *Error) Error() string {
	text := "sdp: " + e.Kind.String()
	if e.Offset >= 0 {
		text += " at byte " + strconv.Itoa(e.Offset)
	}
	if e.Path != "" {
		text += " in " + e.Path
	}
	return text
}

// Unwrap returns the kind, so that errors.Is finds the sentinels.
func (e *Error) Unwrap() error { return e.Kind }
