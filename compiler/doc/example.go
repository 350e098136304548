package doc

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

// example is a value of a type, as JSON and as bytes.
type example struct {
	JSON string
	// Message says that the bytes begin with a header.
	Message bool
	Hex     string // all bytes, 16 in a line
	Bytes   string // how many they are
	Rows    []exampleRow
	// More is how many items the rows don't show.
	More int
}

// exampleRow is an item of the bytes.
type exampleRow struct{ Offset, Hex, Path, Note string }

const (
	// exampleMin is the largest least size of a type that gets an example, in bytes.
	exampleMin = 2048
	exampleMax = 8192 // the largest example, in bytes
	rowsMax    = 100  // items that are shown
	rowBytes   = 8    // bytes of an item that are shown
	noteMax    = 64   // characters of a note
)

// exampleOf makes an example; types that take too many bytes have none.
func exampleOf(program *plan.Program, d ir.Decl) *example {
	if body := program.Body(d); body == nil || body.Size.Min > exampleMin {
		return nil
	}
	codec, err := interp.New(program, d)
	if err != nil {
		return nil
	}
	value, found := sampleOf(program, d)
	if !found {
		return nil
	}
	mode := interp.ByteMode
	if ir.IDOf(d) != nil {
		mode = interp.MessageMode
	}
	encoded, err := codec.Append(nil, value, mode)
	if err != nil || len(encoded) > exampleMax {
		return nil
	}
	e := &example{Message: mode == interp.MessageMode, Hex: hexLines(encoded), Bytes: plan.BytesText(uint64(len(encoded)))}
	options := interp.Options{Mode: mode}
	if _, err := codec.Walk(interp.FromBytes(encoded), options, func(event *interp.Event) error { return e.visit(d, event) }); err != nil {
		return nil
	}
	var text, laid bytes.Buffer
	if err := codec.WriteJSON(&text, interp.FromBytes(encoded), options); err != nil {
		return nil
	}
	if err := json.Indent(&laid, text.Bytes(), "", "  "); err != nil {
		return nil
	}
	e.JSON = visibleJSON(laid.String())
	return e
}

// visibleJSON is the same JSON, in which what shows nothing is spelled.
func visibleJSON(text string) string {
	var out strings.Builder
	for _, r := range text {
		if source.Hidden(r) && r != '\n' {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func (e *example) visit(root ir.Decl, event *interp.Event) error {
	path, note, shown := event.Note(root)
	if !shown {
		return nil
	}
	if len(e.Rows) == rowsMax {
		e.More++
		return nil
	}
	if runes := []rune(note); len(runes) > noteMax {
		note = string(runes[:noteMax]) + "…"
	}
	raw, more := event.Raw, ""
	if len(raw) > rowBytes {
		raw, more = raw[:rowBytes], " …"
	}
	offset := hex.EncodeToString([]byte{byte(event.Offset >> 8), byte(event.Offset)})
	e.Rows = append(e.Rows, exampleRow{offset, spaced(raw) + more, source.Visible(path), source.Visible(note)})
	return nil
}

func spaced(raw []byte) string {
	pairs := make([]string, len(raw))
	for i := range raw {
		pairs[i] = hex.EncodeToString(raw[i : i+1])
	}
	return strings.Join(pairs, " ")
}

func hexLines(raw []byte) string {
	var lines []string
	for len(raw) > 0 {
		n := min(len(raw), 16)
		lines = append(lines, spaced(raw[:n]))
		raw = raw[n:]
	}
	return strings.Join(lines, "\n")
}
