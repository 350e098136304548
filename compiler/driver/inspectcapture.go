package driver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/compiler/tap"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// capture shows what `sdp tap --write` has written: each record with its frame's
// header, heads and value.
func (i *inspector) capture() error {
	catalog, err := talk.NewCatalog(i.program)
	if err != nil {
		return err
	}
	watcher := tap.NewWatcher(catalog)
	reader := tap.NewReader(io.NewSectionReader(i.in, 0, i.size))
	refused := false
	for number := 1; ; number++ {
		at := reader.At()
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return refusedIf(refused)
		}
		if err != nil {
			return i.shown(messagePlace(number, at), err)
		}
		if number > 1 {
			if err := i.rows.text("", ""); err != nil {
				return err
			}
		}
		seen, err := watcher.See(record)
		if err := i.rows.text(bold, captureTitle(record, seen)); err != nil {
			return err
		}
		switch {
		case err != nil: // a capture that no tap has made
			if err := i.rows.text(red, err.Error()); err != nil {
				return err
			}
			refused = true
		case seen != nil:
			if err := i.frame(record, seen, &refused); err != nil {
				return err
			}
		}
	}
}

// bold is the ANSI style of titles.
const bold = "1"

// captureTitle says when and where something has happened.
func captureTitle(r *tap.Record, f *tap.Frame) string {
	title := fmt.Sprintf("%s  %d", r.At.Format("2006-01-02T15:04:05.000000Z"), r.Connection)
	why := ""
	if r.Why != "" {
		why = ": " + talk.Printable(r.Why)
	}
	switch r.Kind {
	case tap.Opened:
		return fmt.Sprintf("%s  connected, %s → %s", title, talk.Printable(r.Listen), talk.Printable(r.Target))
	case tap.Unread:
		return fmt.Sprintf("%s %s  %s that are not read%s", title, r.Direction, sized(len(r.Bytes), "byte"), why)
	case tap.Ended:
		return fmt.Sprintf("%s %s  ended%s", title, r.Direction, why)
	}
	title += fmt.Sprintf(" %s", r.Direction)
	if f != nil {
		title += fmt.Sprintf("  %s %d", f.Type, f.MessageID)
		if f.Method != "" {
			title += "  " + f.Method
		}
	}
	return title
}

// frame shows the bytes of a frame. Values that are refused are shown up to there.
func (i *inspector) frame(r *tap.Record, f *tap.Frame, refusal *bool) error {
	i.rows.begin(nil, r.BytesAt)
	flags := f.FlagsText()
	if flags == "" {
		flags = "none"
	}
	for _, row := range []struct {
		from, to    int
		path, value string
	}{
		{0, 4, "magic", "MXP1"},
		{4, 5, "type", f.Type.String()},
		{5, 6, "flags", flags},
		{8, 16, "message id", fmt.Sprint(f.MessageID)},
		{16, 24, "trace id", fmt.Sprintf("%016x", f.TraceID)},
		{24, 32, "payload", sized(binary.LittleEndian.Uint64(r.Bytes[24:]), "byte")},
	} {
		if err := i.bytesRow(r, row.from, row.to, row.path, row.value); err != nil {
			return err
		}
	}
	for _, section := range f.Sections {
		if err := i.section(r, f, section, refusal); err != nil {
			return err
		}
	}
	trailer := frame.HeaderSize + len(f.Payload)
	i.rows.begin(nil, r.BytesAt)
	return i.bytesRow(r, trailer, trailer+frame.TrailerSize, "checksum", f.Trailer.String())
}

// bytesRow shows bytes of a frame that are no value.
func (i *inspector) bytesRow(r *tap.Record, start, end int, path, value string) error {
	return i.rows.row(&interp.Event{Offset: int64(start), Raw: r.Bytes[start:end]}, path, "", value)
}

// section shows a value in a payload.
func (i *inspector) section(r *tap.Record, f *tap.Frame, section tap.Section, refusal *bool) error {
	from, to := frame.HeaderSize+section.From, frame.HeaderSize+section.To
	if section.Codec == nil {
		if from == to {
			return nil
		}
		return i.bytesRow(r, from, to, "", sized(to-from, "byte")+" of a type that is not known")
	}
	i.rows.begin(section.Codec.Decl(), r.BytesAt+int64(from))
	_, err := section.Codec.Walk(interp.FromBytes(r.Bytes[from:to]), interp.Options{Prefix: section.Head}, i.rows.event)
	if err := i.shown("", err); !errors.Is(err, ErrRefused) {
		return err
	}
	*refusal = true
	return nil
}
