package frame

import (
	"bytes"
	"encoding/binary"
	"sync"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/buffers"
)

// Reader takes frames out of bytes that arrive in pieces of any lengths
// [MXP-4]. The owner of a connection reads bytes from it and hands them on:
//
//	for {
//		f, ok, err := r.Next(&piece)
//		if err != nil || !ok {
//			break // ok is false when the piece is used up
//		}
//		// f.Payload is valid until the next call
//	}
type Reader struct {
	options Options
	err     error // what has ended the stream

	// Bytes that have arrived of a frame that no piece holds whole. Its header is checked as
	// soon as it is there; size is then that of the frame, else 0.
	buffer []byte
	header Header
	size   int
	given  bool // the buffer's frame was returned, and is to be dropped

	// The same, as long as it is too little for a buffer of the frame's size: segments,
	// which others use again.
	segments []*segment
	spread   int // bytes in them
}

// The buffer is larger than the received bytes by at most step and an eighth.
const step = 64 << 10

// magicBytes is how many bytes the magic has.
const magicBytes = 4

type segment [step]byte

var segments = sync.Pool{New: func() any { return new(segment) }}

// NewReader makes a reader of frames.
func NewReader(options Options) *Reader { return &Reader{options: options} }

// SetChecksum says whether the trailers of the frames that follow are checked.
func (r *Reader) SetChecksum(checksum Checksum) { r.options.Checksum = checksum }

// Next takes the next frame out of a piece, and cuts the used bytes off the piece. Without a frame,
// all of it was used. A refusal ends the stream: every later call returns it again [MXP-4.4].
func (r *Reader) Next(piece *[]byte) (f Frame, ok bool, err error) {
	if r.err != nil {
		return Frame{}, false, r.err
	}
	if r.given {
		r.drop()
	}
	if r.arrived() == 0 {
		f, ok = r.whole(piece)
		if ok || r.err != nil {
			return f, ok, r.err
		}
	}
	for r.err == nil {
		missing := HeaderSize
		if r.size > 0 {
			missing = r.size
		}
		missing -= r.arrived()
		if len(*piece) < missing {
			r.take(piece, len(*piece))
			if r.size == 0 && !begins(r.buffer) {
				r.err = refuse(ErrMagic, 0)
			}
			return Frame{}, false, r.err
		}
		r.take(piece, missing)
		if r.size > 0 {
			r.given = true
			f, ok = r.open(r.buffer)
			return f, ok, r.err
		}
		r.check(r.buffer)
	}
	return Frame{}, false, r.err
}

// whole takes a frame that the piece has from start to end. Of one that is not
// complete, the header is checked if it is there.
func (r *Reader) whole(piece *[]byte) (f Frame, ok bool) {
	all := *piece
	if len(all) < HeaderSize {
		return Frame{}, false
	}
	r.check(all)
	if r.err != nil || len(all) < r.size {
		return Frame{}, false
	}
	size := r.size
	r.size = 0
	if f, ok = r.open(all[:size:size]); ok {
		*piece = all[size:]
	}
	return f, ok
}

// open takes the payload out of a frame whose header was checked.
func (r *Reader) open(records []byte) (f Frame, ok bool) {
	end := len(records) - TrailerSize
	if !sealed(records, r.options) {
		r.err = refuse(ErrChecksum, end)
		return Frame{}, false
	}
	return Frame{r.header, records[HeaderSize:end:end]}, true
}

// check reads the header that the bytes start with.
func (r *Reader) check(data []byte) {
	var payload int
	r.header, payload, r.err = Peek(data, r.options)
	r.size = payload + Overhead
}

// begins reports whether what has come of a header begins as one does [MXP-4.2].
func begins(header []byte) bool {
	var magic [magicBytes]byte
	binary.LittleEndian.PutUint32(magic[:], Magic)
	n := min(len(header), magicBytes)
	return bytes.Equal(header[:n], magic[:n])
}

// arrived is how many bytes of the frame have.
func (r *Reader) arrived() int { return len(r.buffer) + r.spread }

// take moves bytes from a piece to the buffer, or to segments as long as a buffer for
// all of the frame would be too large [MXP-4.3].
func (r *Reader) take(piece *[]byte, n int) {
	received := r.arrived() + n
	switch {
	case r.spread == 0 && cap(r.buffer)-len(r.buffer) >= n:
	case roomFor(r.size) > received+received/8+step:
		r.spill(r.buffer)
		r.buffer = nil
		r.spill((*piece)[:n])
		*piece = (*piece)[n:]
		return
	default:
		r.gather(max(r.size, HeaderSize))
	}
	r.buffer = append(r.buffer, (*piece)[:n]...)
	*piece = (*piece)[n:]
}

// spill puts bytes behind the bytes in segments.
func (r *Reader) spill(data []byte) {
	for len(data) > 0 {
		at := r.spread % step
		if at == 0 {
			r.segments = append(r.segments, segments.Get().(*segment))
		}
		n := copy(r.segments[len(r.segments)-1][at:], data)
		r.spread += n
		data = data[n:]
	}
}

// roomFor is how many bytes a buffer for a frame has.
func roomFor(size int) int {
	if size <= step {
		return size
	}
	return buffers.Size(size)
}

// gather makes a buffer of a size, and moves all that has arrived into it.
func (r *Reader) gather(size int) {
	var all []byte
	if size <= step {
		all = make([]byte, 0, size)
	} else {
		all = buffers.Take(size)
	}
	for _, one := range r.segments {
		n := min(r.spread, step)
		all = append(all, one[:n]...)
		r.spread -= n
		segments.Put(one)
	}
	r.segments = nil
	r.buffer = append(all, r.buffer...)
}

// drop forgets the frame in the buffer, and a buffer that is large.
func (r *Reader) drop() {
	r.given, r.size = false, 0
	r.buffer = r.buffer[:0]
	if cap(r.buffer) > step {
		buffers.Give(r.buffer)
		r.buffer = nil
	}
}

// Keep gives a large buffer away that the last frame lies in, so that its payload
// stays valid. It reports false if the frame lies elsewhere; it is then to be copied.
func (r *Reader) Keep() bool { return r.KeepBuffer() != nil }

// KeepBuffer is Keep, and gives the buffer; nil if the frame lies elsewhere.
func (r *Reader) KeepBuffer() []byte {
	buffer := r.buffer
	if !r.given || cap(buffer) <= step || cap(buffer)-len(buffer) > len(buffer)/4 {
		return nil
	}
	r.given, r.size, r.buffer = false, 0, nil
	return buffer
}

// Shrink lets go of the buffer if nothing is in it.
func (r *Reader) Shrink() {
	if r.given {
		r.drop()
	}
	if len(r.buffer) == 0 {
		r.buffer = nil
	}
}

// Release lets go of the received part of a frame that nobody waits for any more. The reader is not
// used afterwards.
func (r *Reader) Release() {
	for _, one := range r.segments {
		segments.Put(one)
	}
	r.segments, r.spread = nil, 0
	if !r.given {
		r.buffer = nil
	}
}

// Buffered is how many bytes of an incomplete frame have arrived.
func (r *Reader) Buffered() int {
	if r.given {
		return 0
	}
	return r.arrived()
}

// Unused is how much memory of the buffer holds nothing that is Buffered.
func (r *Reader) Unused() int { return cap(r.buffer) + len(r.segments)*step - r.Buffered() }

// End reports how the stream has ended: by a refusal, or inside a frame
// [MXP-4.5]; else it is nil.
func (r *Reader) End() error {
	if r.err == nil && r.Buffered() > 0 {
		r.err = refuse(ErrTruncated, r.Buffered())
	}
	return r.err
}
