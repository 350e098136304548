package talk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Line is a value, given in byte mode, as JSON in one line that is safe to print:
// what a terminal could take for a command is escaped. An error is a
// *interp.Refusal.
func Line(codec *interp.Codec, value []byte) (string, error) {
	var text strings.Builder
	if err := codec.WriteJSON(&text, interp.FromBytes(value), interp.Options{}); err != nil {
		return "", err
	}
	return escaped(text.String()), nil
}

// escaped writes the characters of a JSON text that are not to be printed as
// JSON's escapes. They stand in strings alone.
func escaped(text string) string {
	if strings.IndexFunc(text, isHidden) < 0 {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		switch high, low := utf16.EncodeRune(r); {
		case !isHidden(r):
			out.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&out, `\u%04x`, r)
		}
	}
	return out.String()
}

func isHidden(r rune) bool { return !unicode.IsPrint(r) }

// Printable is a text of a peer's, such as a name, with its unprintable characters escaped.
func Printable(text string) string { return escaped(strings.ToValidUTF8(text, "\ufffd")) }

// oneValue makes the encoding of the one value that a text is. No text at all is
// the value without members.
func oneValue(codec *interp.Codec, text []byte, rules Rules) ([]byte, error) {
	if len(strings.TrimSpace(string(text))) == 0 {
		text = []byte("{}")
	}
	if !rules.Defaults {
		if value, err := codec.ParseJSON(text, interp.ByteMode); err != nil || !rules.Strict {
			return value, guessed(err)
		}
	}
	in := newValues(codec, bytes.NewReader(text), rules)
	value, err := in.read()
	if err == nil {
		err = in.reader.End()
	}
	return value, err
}

// Rules are how JSON is read.
type Rules struct {
	// Strict refuses members that a message does not have.
	Strict bool
	// Defaults gives fields that have no member zero, or their default.
	Defaults bool
}

// Valid refuses a text that is not one value.
func Valid(codec *interp.Codec, text []byte, rules Rules) error {
	_, err := oneValue(codec, text, rules)
	return err
}

// values reads values out of JSON texts that follow each other.
type values struct {
	codec  *interp.Codec
	reader *interp.JSONReader
	count  int
}

func newValues(codec *interp.Codec, r io.Reader, rules Rules) *values {
	made := &values{codec: codec, reader: interp.NewJSONReader(r)}
	made.reader.Strict, made.reader.Defaults = rules.Strict, rules.Defaults
	return made
}

// next gives the encoding of the next value, and io.EOF after the last one.
func (v *values) next() ([]byte, error) {
	v.count++
	value, err := v.read()
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("value %d: %w", v.count, err)
	}
	return value, err
}

func (v *values) read() ([]byte, error) {
	var spool interp.Spool
	defer spool.Close()
	if err := v.codec.ReadJSON(v.reader, &spool, interp.ByteMode); err != nil {
		return nil, guessed(err)
	}
	return io.ReadAll(spool.Reader())
}

// guessed is an error, and for a refusal the name that one in the text is nearly.
func guessed(err error) error {
	var refusal *interp.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	if near := diag.Nearest(refusal.Name, refusal.Known); near != "" {
		return fmt.Errorf("%w; did you mean %q?", err, near)
	}
	return err
}

// undecoded is the failure that a value makes which can't be decoded
// [MXP-13.4, MXP-13.5].
func undecoded(err error, status session.Status) error {
	var refusal *interp.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	text := strings.TrimPrefix(strings.TrimPrefix(refusal.Error(), refusal.Kind.String()), " ")
	return &session.Failure{Status: status, Name: refusal.Kind.String(), Text: text, Acted: true}
}
