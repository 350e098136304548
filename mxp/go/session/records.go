package session

import (
	"encoding/binary"
	"iter"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
	"github.com/serial-data-protocol/sdp/runtime/go"
)

// Records are the values of a batch [MXP-17.3], as they lie in its payload.
type Records struct {
	data  []byte
	count int
	bytes int
}

// lengthBytes is how many bytes of a record are before its value.
const lengthBytes = 2

// recordsOf checks what a batch has, or gives the refusal that a decoder has for it.
func recordsOf(data []byte) (Records, sdp.Kind) {
	r := Records{data: data}
	for rest := data; len(rest) > 0 || r.count == 0; r.count++ {
		if len(rest) < lengthBytes {
			return Records{}, sdp.ErrTruncated
		}
		n := int(binary.LittleEndian.Uint16(rest))
		if rest = rest[lengthBytes:]; n > len(rest) {
			return Records{}, sdp.ErrLengthExceedsInput
		}
		rest = rest[n:]
	}
	r.bytes = len(data) - lengthBytes*r.count
	return r, 0
}

// Len is how many values there are, which is at least one.
func (r Records) Len() int { return r.count }

// Bytes is how many bytes the values have together.
func (r Records) Bytes() int { return r.bytes }

// All gives the values in their order, with their places from 0. They refer to the
// payload.
func (r Records) All() iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		rest := r.data
		for i := range r.count {
			var value []byte
			if value, rest = CutRecord(rest); !yield(i, value) {
				return
			}
		}
	}
}

// CutRecord gives the first value of Records.Data, and the data behind it, which is not checked
// anew.
func CutRecord(data []byte) (value, rest []byte) {
	end := lengthBytes + int(binary.LittleEndian.Uint16(data))
	return data[lengthBytes:end:end], data[end:]
}

// CutRecords gives the data behind the first values of Records.Data.
func CutRecords(data []byte, values int) (rest []byte) {
	for range values {
		_, data = CutRecord(data)
	}
	return data
}

// In gives the same values in another buffer that has the same bytes, as Session.Own
// gives it of Data.
func (r Records) In(data []byte) Records {
	r.data = data
	return r
}

// Data is where the values are, with their lengths.
func (r Records) Data() []byte { return r.data }

// records gives the records of a batch, or ends the session.
func (s *Session) records(data []byte, now uint64) (Records, bool) {
	r, wrong := recordsOf(data)
	if wrong != 0 {
		s.fail(ErrPayload, control.Failure{Text: wrong.String()}, now)
	}
	return r, wrong == 0
}

func (s *Session) takeChunks(f *frame.Frame, now uint64) Incoming {
	records, ok := s.records(f.Payload, now)
	if !ok {
		return nil
	}
	e := s.receiving(f, records.count, records.bytes, now)
	if e == nil {
		return nil
	}
	final, ack := f.Flags&frame.Final != 0, f.Flags&frame.RequiresAck != 0
	s.in.chunks = Chunks{f.MessageID, e.in.number + 1, final, ack, records}
	e.in.take(records.count, records.bytes, final, ack)
	s.streamed(e, now)
	return &s.in.chunks
}

func (s *Session) takeEvents(f *frame.Frame, now uint64) Incoming {
	start := &s.in.callStart
	n, err := start.DecodePrefix(f.Payload, aliasing)
	if err != nil {
		s.failPayload(err, now)
		return nil
	}
	records, ok := s.records(f.Payload[n:], now)
	if !ok {
		return nil
	}
	head := &start.Head
	if wrong := s.serves(head); wrong != 0 {
		s.passOver(wrong, records.count, now)
		return nil
	}
	s.in.events = Events{f.MessageID, head.Service, head.Method, s.traced(head), head.Metadata, records}
	return &s.in.events
}

// passOver counts Events that can't be served [MXP-7.3].
func (s *Session) passOver(why Kind, events int, now uint64) {
	for range events {
		s.caused(now)
	}
	s.stats.Refusals[why.Number()] += uint64(events)
}
