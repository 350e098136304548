package api

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// ValueQuestion asks for a value in another form.
type ValueQuestion struct {
	Schema Schema `json:"schema"`
	Type   string `json:"type"`
	// Message asks for message mode, with a header before the value.
	Message bool `json:"message"`
	// JSON is the text to encode, and Hex the digits of the bytes to decode.
	JSON string `json:"json"`
	Hex  string `json:"hex"`
}

// ValueResult is a value in the other form, or why it was refused.
type ValueResult struct {
	JSON string `json:"json"`
	Hex  string `json:"hex"`
	// Spans are the items of the bytes in their order; of refused bytes the items before the
	// refusal.
	Spans   []Span   `json:"spans"`
	Refusal *Refusal `json:"refusal"`
}

// Refusal is why an input was refused.
type Refusal struct {
	Name string `json:"name"`
	// Offset is that of a byte, or -1. In a text From is the place in UTF-16 code units, or -1.
	Offset int64  `json:"offset"`
	From   int    `json:"from"`
	Path   string `json:"path"`
	Detail string `json:"detail"`
	Help   string `json:"help"`
}

// codec is that of the type of a question, and the mode that it asks for.
func (c *Compiler) codec(q ValueQuestion) (*interp.Codec, interp.Mode, error) {
	if length := max(len(q.JSON), len(q.Hex)); length > TextBytesMax {
		return nil, 0, fmt.Errorf("the text has %d bytes, and %d are the most here", length, TextBytesMax)
	}
	one, err := c.sound(q.Schema)
	if err != nil {
		return nil, 0, err
	}
	decl, err := one.find(q.Type)
	if err != nil {
		return nil, 0, err
	}
	mode := interp.ByteMode
	if q.Message {
		mode = interp.MessageMode
	}
	if q.Message && ir.IDOf(decl) == nil {
		return nil, 0, fmt.Errorf("%s has no @id, and messages carry one", q.Type)
	}
	codec, err := interp.New(one.program, decl)
	return codec, mode, err
}

// Encode turns JSON into bytes, as `sdp convert --from json` does.
func (c *Compiler) Encode(q ValueQuestion) (*ValueResult, error) {
	codec, mode, err := c.codec(q)
	if err != nil {
		return nil, err
	}
	answer := &ValueResult{JSON: q.JSON, Spans: []Span{}}
	encoded, err := codec.ParseJSON([]byte(q.JSON), mode)
	var refusal *interp.Refusal
	switch {
	case errors.As(err, &refusal):
		answer.Refusal = refusedText(refusal, q.JSON)
		return answer, nil
	case err != nil:
		return nil, err
	case hex.EncodedLen(len(encoded)) > TextBytesMax:
		return nil, fmt.Errorf("the value takes %d bytes, and %d are the most here", len(encoded), hex.DecodedLen(TextBytesMax))
	}
	answer.Hex = hex.EncodeToString(encoded)
	answer.Spans = spans(codec, mode, encoded)
	return answer, nil
}

// Decode turns bytes into JSON, as `sdp convert --to json` does, and indents it.
func (c *Compiler) Decode(q ValueQuestion) (*ValueResult, error) {
	codec, mode, err := c.codec(q)
	if err != nil {
		return nil, err
	}
	encoded, err := hex.DecodeString(q.Hex)
	if err != nil {
		return nil, err
	}
	answer := &ValueResult{Hex: q.Hex, Spans: spans(codec, mode, encoded)}
	text, err := jsonOf(codec, mode, encoded)
	var refusal *interp.Refusal
	if errors.As(err, &refusal) {
		answer.Refusal = &Refusal{Name: refusal.Kind.String(), Offset: refusal.Offset, From: -1, Path: refusal.Path, Detail: refusal.Detail}
		return answer, nil
	}
	answer.JSON = text
	return answer, err
}

// refusedText is a refusal of a text.
func refusedText(r *interp.Refusal, text string) *Refusal {
	told := &Refusal{Name: r.Kind.String(), Offset: r.Offset, From: -1, Path: r.Path, Detail: r.Detail}
	switch {
	case r.Offset >= 0:
		told.From = newPlaces(text).at(int(r.Offset))
	case r.Line > 0:
		told.From = newPlaces(text).at(offsetOf(text, r.Line, r.Column))
	}
	if near := diag.Nearest(r.Name, r.Known); near != "" {
		told.Help = fmt.Sprintf("did you mean %q?", near)
	}
	return told
}

// offsetOf is the byte of a line and column, which count code points from 1.
func offsetOf(text string, line, column int) int {
	l, c := 1, 1
	for at, r := range text {
		if l > line || l == line && c == column {
			return at
		}
		c++
		if r == '\n' {
			l, c = l+1, 1
		}
	}
	return len(text)
}

// errLong is that a text would be longer than a page takes.
var errLong = fmt.Errorf("the JSON of the value is longer than %d bytes, which are the most here", TextBytesMax)

// boundedBuffer takes no more than a page does.
type boundedBuffer struct{ bytes.Buffer }

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > TextBytesMax {
		return 0, errLong
	}
	return b.Buffer.Write(p)
}

// jsonOf is the JSON of bytes, with lines and indentation.
func jsonOf(codec *interp.Codec, mode interp.Mode, encoded []byte) (string, error) {
	var canonical boundedBuffer
	if err := codec.WriteJSON(&canonical, interp.FromBytes(encoded), interp.Options{Mode: mode}); err != nil {
		return "", err
	}
	var text bytes.Buffer
	if err := json.Indent(&text, canonical.Bytes(), "", "  "); err != nil {
		return "", err
	}
	if text.Len() > TextBytesMax {
		return canonical.String(), nil
	}
	return text.String(), nil
}
