package driver

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

const (
	// rowBytes is how many bytes of an item a row shows.
	rowBytes = 8
	// pathCells and pathCellsMax are the least and the largest width of the column
	// of paths.
	pathCells    = 15
	pathCellsMax = 40
	// pageLines is how many lines are kept until the width is settled.
	pageLines = 1000
	// textRunesMax is how much of a text a row shows.
	textRunesMax = 64
)

// rows writes annotated bytes: offset, bytes, path, value. It is a visitor of
// a walk.
//
// The columns are the same from the first row to the last. How wide that of the paths
// is, the first rows say; a longer path has a line of its own before the value.
type rows struct {
	out    *bufio.Writer
	color  bool
	digits int   // of an offset
	base   int64 // of the value's first byte in the file
	decl   ir.Decl
	width  int // of the column of paths, once it is settled
	kept   []rowLine
	json   *json.Encoder // writes each row as JSON; nil for columns
}

// rowLine is a row, or with no offset a text that is in no column.
type rowLine struct {
	offset, bytes, path string
	color, value        string
}

// jsonRow is a row as JSON, or with neither bytes nor a path a text.
type jsonRow struct {
	Offset  *int64 `json:"offset,omitempty"`
	Hex     string `json:"hex,omitempty"`
	Missing bool   `json:"missing,omitempty"`
	Path    string `json:"path,omitempty"`
	Value   string `json:"value,omitempty"`
	Text    string `json:"text,omitempty"`
	Refusal string `json:"refusal,omitempty"`
}

// newRows begins rows for an input of so many bytes.
func newRows(w io.Writer, color bool, size int64) rows {
	return rows{out: bufio.NewWriter(w), color: color, digits: max(8, len(strconv.FormatInt(size, 16)))}
}

// The ANSI colours of the columns.
const (
	dim    = "2"
	blue   = "34"
	green  = "32"
	yellow = "33"
	red    = "1;31"
)

// begin starts a value, whose offsets count from base.
func (r *rows) begin(decl ir.Decl, base int64) {
	r.decl, r.base = decl, base
}

// text writes a line that is no row.
func (r *rows) text(color, text string) error {
	if r.json == nil {
		return r.write(rowLine{color: color, value: text})
	}
	if text == "" {
		return nil
	}
	return r.json.Encode(jsonRow{Text: text})
}

// write writes a line, or keeps it until the width is settled.
func (r *rows) write(l rowLine) error {
	if r.width > 0 {
		return r.print(l)
	}
	r.kept = append(r.kept, l)
	if len(r.kept) < pageLines {
		return nil
	}
	return r.settle()
}

// settle decides the width by the lines that are kept, and writes them.
func (r *rows) settle() error {
	r.width = pathCells
	for _, l := range r.kept {
		r.width = max(r.width, min(len(l.path), pathCellsMax))
	}
	for _, l := range r.kept {
		if err := r.print(l); err != nil {
			return err
		}
	}
	r.kept = nil
	return nil
}

// flush writes what is still kept.
func (r *rows) flush() error {
	if err := r.settle(); err != nil {
		return err
	}
	return r.out.Flush()
}

func (r *rows) print(l rowLine) error {
	if l.offset == "" {
		_, err := fmt.Fprintln(r.out, r.paint(l.color, l.value))
		return err
	}
	path := fmt.Sprintf("%-*s", r.width, l.path)
	if len(l.path) > r.width {
		path += "\n" + strings.Repeat(" ", r.digits+2+3*rowBytes+1+r.width)
	}
	_, err := fmt.Fprintf(r.out, "%s  %s %s  %s\n",
		r.paint(dim, l.offset), r.paint(blue, fmt.Sprintf("%-*s", 3*rowBytes, l.bytes)), path, r.paint(l.color, l.value))
	return err
}

// event writes the row of an event, if it has one.
func (r *rows) event(e *interp.Event) error {
	path, note, shown := e.Note(r.decl)
	if !shown {
		return nil
	}
	color := ""
	switch e.Kind {
	case interp.ScalarEvent:
		color = yellow
	case interp.TextEvent:
		color = green
		if r.json == nil {
			note = shortText(note)
		}
	case interp.DamageEvent:
		color = red
	}
	return r.row(e, path, color, note)
}

// typeID is an id and the name of the type whose it is.
func (r *rows) typeID(id uint64) string { return interp.TypeIDNote(r.decl, id) }

// row writes one line. Fields of a segment that the input lacks have no bytes.
func (r *rows) row(e *interp.Event, path, color, value string) error {
	if r.json != nil {
		at, raw := r.base+e.Offset, e.Raw
		if e.Missing {
			raw = nil
		}
		return r.json.Encode(jsonRow{Offset: &at, Hex: hex.EncodeToString(raw), Missing: e.Missing, Path: path, Value: value})
	}
	shown := hexBytes(e.Raw)
	if e.Missing {
		shown, value = "", value+" (missing in the input)"
	}
	return r.write(rowLine{offset: fmt.Sprintf("%0*x", r.digits, r.base+e.Offset), bytes: shown, path: path, color: color, value: value})
}

// refusal writes the line after the last row of a damaged value.
func (r *rows) refusal(place string, refusal *interp.Refusal) error {
	text := refusal.Kind.String()
	if refusal.Offset >= 0 {
		text += fmt.Sprintf(" at byte %d", refusal.Offset)
	}
	if refusal.Path != "" {
		text += " in " + refusal.Path
	}
	if r.json != nil {
		return r.json.Encode(jsonRow{Refusal: place + text})
	}
	return r.text(red, place+text)
}

func (r *rows) paint(code, text string) string {
	if !r.color || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// hexBytes is the first bytes of an item, and an ellipsis if there are more.
func hexBytes(raw []byte) string {
	more := ""
	if len(raw) > rowBytes {
		raw, more = raw[:rowBytes], "…"
	}
	var pairs []string
	for _, b := range raw {
		pairs = append(pairs, hex.EncodeToString([]byte{b}))
	}
	return strings.Join(pairs, " ") + more
}

// shortText is a string as JSON that is safe to print: a file could otherwise send escape sequences
// to its reader's terminal.
func shortText(quoted string) string {
	var out strings.Builder
	runes := 0
	for _, r := range quoted {
		if runes++; runes > textRunesMax {
			return out.String() + "…"
		}
		if !unicode.IsPrint(r) {
			fmt.Fprintf(&out, "\\u{%x}", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
