package tap

import (
	"bufio"
	"encoding/binary"
	"io"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// names are the names of the messages of a capture.
var names = [...]string{Opened: "Opened", Passed: "Passed", Unread: "Unread", Ended: "Ended"}

// AppendRecord appends a record as a message of a capture.
func AppendRecord(buffer []byte, r *Record) ([]byte, error) {
	fields := []interp.Value{r.At.UnixNano(), uint64(r.Connection)}
	switch r.Kind {
	case Opened:
		fields = append(fields, r.Listen, r.Target)
	case Passed:
		fields = append(fields, uint64(r.Direction), r.Bytes)
	case Unread:
		fields = append(fields, uint64(r.Direction), r.Bytes, r.Why)
	case Ended:
		fields = append(fields, uint64(r.Direction), r.Why)
	}
	return capture().codecs[names[r.Kind]].Append(buffer, interp.Message{Fields: fields}, interp.MessageMode)
}

// BeginsCapture reports whether a header is that of a message of a capture.
func BeginsCapture(header interp.Header) bool {
	if !header.Sound() {
		return false
	}
	for _, name := range names {
		if id := ir.IDOf(capture().codecs[name].Decl()); id.Value == header.TypeID() {
			return true
		}
	}
	return false
}

// Reader reads a capture.
type Reader struct {
	stream *interp.Stream
	at     int64 // where the next message begins
}

// NewReader makes a reader. It reads ahead.
func NewReader(r io.Reader) *Reader {
	s := capture()
	return &Reader{stream: interp.NewStream(s.program, s.pkg, bufio.NewReaderSize(r, pieceBytes), interp.Options{})}
}

// At is the place of the next message, or of the refused one.
func (r *Reader) At() int64 { return r.at }

// Next reads the next record, which is the caller's. It returns io.EOF at the end;
// of a capture that ends within a message, and of one that is damaged, an
// *interp.Refusal.
func (r *Reader) Next() (*Record, error) {
	decl, err := r.stream.Next()
	if err != nil {
		return nil, err
	}
	record := &Record{}
	for kind, name := range names {
		if decl.DeclName() == name {
			record.Kind = Kind(kind)
		}
	}
	if err := r.stream.Walk(interp.Options{}, record.visit); err != nil {
		return nil, err
	}
	record.BytesAt += r.at
	r.at += interp.HeaderBytes + r.stream.Header().Payload()
	return record, nil
}

// visit takes a field.
func (r *Record) visit(e *interp.Event) error {
	switch {
	case e.Field == nil:
		return nil
	case e.Kind != interp.ScalarEvent && e.Kind != interp.TextEvent && e.Kind != interp.BlobEvent:
		return nil // damage, say, which is of a field too
	}
	text := func() string { return string(e.Content) }
	switch e.Field.Name {
	case "at":
		r.At = time.Unix(0, int64(binary.LittleEndian.Uint64(e.Raw))).UTC()
	case "connection":
		r.Connection = binary.LittleEndian.Uint32(e.Raw)
	case "direction":
		r.Direction = Direction(e.Raw[0])
	case "listen":
		r.Listen = text()
	case "target":
		r.Target = text()
	case "why":
		r.Why = text()
	case "frame", "bytes":
		r.Bytes = append([]byte{}, e.Content...)
		r.BytesAt = e.Offset + int64(len(e.Raw)-len(e.Content))
	}
	return nil
}
