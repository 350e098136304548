package tap

import (
	"bytes"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// FuzzCapture reads what may be a capture, and says what its frames mean.
func FuzzCapture(f *testing.F) {
	all, _ := captured(f)
	f.Add(all)
	f.Add(all[:len(all)/2])
	f.Add([]byte("SDP2"))
	catalog := shopCatalog(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		reader, watcher := NewReader(bytes.NewReader(data)), NewWatcher(catalog)
		for {
			record, err := reader.Next()
			if err != nil {
				return
			}
			if seen, err := watcher.See(record); err == nil && seen != nil {
				checkFrame(t, seen)
			}
		}
	})
}

// FuzzFrame says what any payload of any type means, in the middle of a
// conversation.
func FuzzFrame(f *testing.F) {
	for _, record := range conversationOf(f) {
		if record.Kind == Passed {
			f.Add(record.Bytes[4], record.Bytes[5], uint8(record.Direction), record.Bytes[32:len(record.Bytes)-8])
		}
	}
	catalog := shopCatalog(f)
	records := conversationOf(f)
	f.Fuzz(func(t *testing.T, kind, flags, direction uint8, payload []byte) {
		watcher := NewWatcher(catalog)
		for i := range records[:13] {
			if _, err := watcher.See(&records[i]); err != nil {
				t.Fatal(err)
			}
		}
		one := frame.Frame{Header: frame.Header{Type: frame.Type(kind), Flags: frame.Flags(flags), MessageID: 7}, Payload: payload}
		all, err := one.Append(nil, frame.ChecksumOn)
		if err != nil {
			return
		}
		seen, err := watcher.See(&Record{Kind: Passed, Connection: 1, Direction: Direction(direction & 1), Bytes: all})
		if err != nil {
			t.Fatal(err)
		}
		checkFrame(t, seen)
	})
}

// checkFrame holds what is said of a frame against what may be said of any.
func checkFrame(t *testing.T, f *Frame) {
	t.Helper()
	line := f.Line()
	if talk.Printable(line) != line {
		t.Errorf("the line is not one to print: %q", line)
	}
	at := 0
	for _, section := range f.Sections {
		if isBatch[f.Type] && !section.Head && section.Refused == "" && section.From != 0 {
			at += 2 // the length of a record
		}
		if section.From != at || section.To < section.From || section.To > len(f.Payload) {
			t.Errorf("the sections are %+v of %d bytes", f.Sections, len(f.Payload))
		}
		at = section.To
	}
	if at != len(f.Payload) {
		t.Errorf("the sections are %+v of %d bytes", f.Sections, len(f.Payload))
	}
}
