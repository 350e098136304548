package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/tap"
)

// InspectOptions says what to inspect.
type InspectOptions struct {
	Schema string
	// Type is empty for messages, whose header tells it.
	Type string
	In   string
	// JSON writes an object for each row, in a line of its own.
	JSON bool
}

// Inspect shows the bytes of a file with their meaning. Damage ends what is shown of a value and
// makes the result ErrRefused.
func (t *Tool) Inspect(options InspectOptions) error {
	program, err := t.compileOne(options.Schema)
	if err != nil {
		return err
	}
	pkg := program.Schema.Roots[0]
	var wanted ir.Decl
	if options.Type != "" {
		if wanted, err = findType(program.Schema, options.Type); err != nil {
			return err
		}
	}
	data, err := t.openData(options.In)
	if err != nil {
		return err
	}
	defer data.close()
	in, size, err := data.whole(data.in)
	if err != nil {
		return err
	}
	inspector := inspector{program: program, pkg: pkg, in: in, size: size, rows: newRows(t.Out, t.OutColor, size)}
	if options.JSON {
		inspector.rows.json = json.NewEncoder(inspector.rows.out)
		inspector.rows.json.SetEscapeHTML(false)
	}
	switch header := headerAt(in, 0); {
	case wanted == nil && isPackets(header):
		return usagef("%s is a file of packets, which Wireshark reads", data.name).
			withHelp("mxp/wireshark has a dissector for it; `sdp tap --write FILE` keeps what `sdp inspect` shows")
	case wanted == nil && tap.BeginsCapture(header) && !inspector.has(header.TypeID()):
		err = inspector.capture()
	case wanted == nil && !hasMessages(pkg):
		return usagef("no type of %s has an @id, so that none can be told from a header", pkg.Path).
			withHelp("name the type before the file")
	case wanted != nil && !isMessageOf(header, wanted):
		err = inspector.bytes(wanted)
	default:
		err = inspector.messages(wanted)
	}
	if flushed := inspector.rows.flush(); flushed != nil {
		return flushed
	}
	return err
}

// isPackets tells whether data begins as files of packets do: pcap, of either byte order and
// unit of time, and pcapng.
func isPackets(header interp.Header) bool {
	return len(header) >= 4 && slices.Contains([]string{
		"\xd4\xc3\xb2\xa1", "\xa1\xb2\xc3\xd4", "\x4d\x3c\xb2\xa1", "\xa1\xb2\x3c\x4d", "\x0a\x0d\x0d\x0a",
	}, string(header[:4]))
}

// headerAt reads what stands where a header could.
func headerAt(r io.ReaderAt, offset int64) interp.Header {
	header := make(interp.Header, interp.HeaderBytes)
	n, _ := r.ReadAt(header, offset)
	return header[:n]
}

// isMessageOf tells whether data begins with a header of a type, which the
// bytes of byte mode practically never do.
func isMessageOf(header interp.Header, decl ir.Decl) bool {
	id := ir.IDOf(decl)
	return id != nil && header.SoundInStream() && header.TypeID() == id.Value
}

// inspector shows the values of one input.
type inspector struct {
	program *plan.Program
	pkg     *ir.Package
	in      io.ReaderAt
	size    int64
	rows    rows
}

// bytes shows the one value of byte mode.
func (i *inspector) bytes(decl ir.Decl) error {
	return i.shown("", i.value(decl, interp.ByteMode, 0, i.size))
}

// messages shows one message after another. A type of nil means the type of each header. Only an
// unknown type leaves the way to the next message known.
func (i *inspector) messages(want ir.Decl) error {
	refused := false
	for at, number := int64(0), 1; at < i.size || at == 0 && number == 1; number++ {
		header := headerAt(i.in, at)
		if header.IsPreamble() {
			if err := i.shown("", i.preamble(header, at)); err != nil {
				return err
			}
			at += interp.HeaderBytes + header.Payload()
			number--
			continue
		}
		end := i.messageEnd(at, header)
		decl := want
		if decl == nil {
			decl = i.declOf(header)
		}
		place := ""
		if number > 1 {
			if err := i.rows.text("", ""); err != nil {
				return err
			}
		}
		if number > 1 || end < i.size {
			place = messagePlace(number, at)
		}
		var err error
		if decl == nil {
			err = i.shown(place, i.unknown(header, at, end))
		} else {
			err = i.shown(place, i.value(decl, interp.MessageMode, at, end))
		}
		if err != nil && (decl != nil || !errors.Is(err, ErrRefused)) {
			return err
		}
		refused = refused || err != nil
		at = end
	}
	return refusedIf(refused)
}

// messagePlace says which message of several a refusal is about.
func messagePlace(number int, offset int64) string {
	return fmt.Sprintf("message %d, which begins at byte %d: ", number, offset)
}

// shown shows the refusal that an error is, if it is one.
func (i *inspector) shown(place string, err error) error {
	var refusal *interp.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	if err := i.rows.refusal(place, refusal); err != nil {
		return err
	}
	return ErrRefused
}

// messageEnd is where a message ends and another may begin. Bytes behind a
// first message are another one only if they look like it; else they are left
// to the walk, which refuses them as trailing.
func (i *inspector) messageEnd(offset int64, header interp.Header) int64 {
	if !header.Sound() {
		return i.size
	}
	end := offset + interp.HeaderBytes + header.Payload()
	if end >= i.size || offset == 0 && !headerAt(i.in, end).MayBegin() {
		return i.size
	}
	return end
}

func hasMessages(pkg *ir.Package) bool {
	return slices.ContainsFunc(pkg.Decls, func(d ir.Decl) bool { return ir.IDOf(d) != nil })
}

// has reports whether a type of the package has an id.
func (i *inspector) has(typeID uint16) bool {
	return slices.ContainsFunc(i.pkg.Decls, func(d ir.Decl) bool {
		id := ir.IDOf(d)
		return id != nil && id.Value == typeID
	})
}

// declOf finds the type that a header names; nil if the package has none such.
// A damaged header gets some type, since what is wrong with it is found first.
func (i *inspector) declOf(header interp.Header) ir.Decl {
	var some ir.Decl
	for _, d := range i.pkg.Decls {
		id := ir.IDOf(d)
		if id == nil {
			continue
		}
		if header.HasTypeID() && id.Value == header.TypeID() {
			return d
		}
		some = d
	}
	if header.Sound() {
		return nil
	}
	return some
}

// unknown shows a message whose type the package does not have.
func (i *inspector) unknown(header interp.Header, offset, end int64) error {
	payload := make([]byte, min(end-offset-interp.HeaderBytes, 2*rowBytes))
	if _, err := i.in.ReadAt(payload, offset+interp.HeaderBytes); err != nil {
		return err
	}
	i.rows.begin(nil, offset)
	if err := i.framed(header, payload, "", "not understood"); err != nil {
		return err
	}
	return &interp.Refusal{Kind: interp.ErrTypeIDUnknown, Offset: interp.TypeIDOffset}
}

// preamble shows a preamble, and holds its layout against that of its type.
func (i *inspector) preamble(header interp.Header, offset int64) error {
	if !header.SoundInStream() {
		return &interp.Refusal{Kind: interp.ErrTruncated, Offset: map[bool]int64{true: 6, false: 4}[header.HasTypeID()]}
	}
	text := make([]byte, min(header.Payload(), interp.LayoutTextBytes+1, i.size-offset-interp.HeaderBytes))
	if _, err := i.in.ReadAt(text, offset+interp.HeaderBytes); err != nil {
		return err
	}
	var refusal *interp.Refusal
	note := "of a type that the schema does not have"
	decl := i.declOf(header.InStream())
	switch {
	case decl == nil:
	case header.Payload() > interp.LayoutTextBytes:
		note = "not read"
		refusal = &interp.Refusal{Kind: interp.ErrLimitMessageBytes, Offset: 6}
	default:
		note = "the schema's of " + ir.FullName(decl)
		if string(text) != plan.Layout(decl) {
			note = "another of " + ir.FullName(decl) + ", which the schema reads"
		}
		if refusal = interp.CheckPreamble(decl, text); refusal != nil {
			note = "another of " + ir.FullName(decl) + ": " + refusal.Detail
		}
	}
	if header.Payload() > i.size-offset-interp.HeaderBytes {
		note, refusal = "cut", &interp.Refusal{Kind: interp.ErrTruncated, Offset: 6}
	}
	i.rows.begin(decl, offset)
	if err := i.framed(header, text, "layout", note); err != nil {
		return err
	}
	if refusal != nil {
		return refusal
	}
	return i.rows.text("", "")
}

// framed shows a header, and a payload as a whole.
func (i *inspector) framed(header interp.Header, payload []byte, path, note string) error {
	for _, row := range []struct {
		offset      int64
		raw         []byte
		path, value string
	}{
		{0, header[:4], "magic", string(header[:4])},
		{4, header[4:6], "type id", i.rows.typeID(uint64(header.TypeID()))},
		{6, header[6:], "payload", sized(header.Payload(), "byte")},
		{interp.HeaderBytes, payload, path, note},
	} {
		if err := i.rows.row(&interp.Event{Offset: row.offset, Raw: row.raw}, row.path, "", row.value); err != nil {
			return err
		}
	}
	return nil
}

// value shows one value. A refusal is returned, and not yet shown.
func (i *inspector) value(decl ir.Decl, mode interp.Mode, offset, end int64) error {
	codec, err := interp.New(i.program, decl)
	if err != nil {
		return err
	}
	i.rows.begin(decl, offset)
	in := interp.FromReader(io.NewSectionReader(i.in, offset, end-offset), end-offset)
	_, err = codec.Walk(in, interp.Options{Mode: mode, Salvage: true}, i.rows.event)
	return err
}
