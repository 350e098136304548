package frame

// Reader takes frames out of bytes that arrive in pieces of any lengths
// [MXP-4]. Whoever owns a connection reads bytes from it and hands them on:
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

	// What has arrived of a frame that no piece holds whole. Its header is
	// checked as soon as it is there; size is then that of the frame, else 0.
	buffer []byte
	header Header
	size   int
	given  bool // the buffer's frame was returned, and is to be dropped
}

// The buffer is larger than what was received by at most step and an eighth.
const step = 64 << 10

// NewReader makes a reader of frames.
func NewReader(options Options) *Reader { return &Reader{options: options} }

// SetChecksum says whether the trailers of the frames that follow are checked.
func (r *Reader) SetChecksum(checksum Checksum) { r.options.Checksum = checksum }

// Next takes the next frame out of a piece, which is cut by what was used of it.
// Without a frame, all of it was used. A refusal ends the stream: it is returned
// again whatever comes [MXP-4.4].
func (r *Reader) Next(piece *[]byte) (f Frame, ok bool, err error) {
	if r.err != nil {
		return Frame{}, false, r.err
	}
	if r.given {
		r.drop()
	}
	if len(r.buffer) == 0 {
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
		missing -= len(r.buffer)
		if len(*piece) < missing {
			r.take(piece, len(*piece))
			return Frame{}, false, nil
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
func (r *Reader) open(all []byte) (f Frame, ok bool) {
	end := len(all) - TrailerSize
	if !sealed(all, r.options) {
		r.err = refuse(ErrChecksum, end)
		return Frame{}, false
	}
	return Frame{r.header, all[HeaderSize:end:end]}, true
}

// check reads the header that the bytes start with.
func (r *Reader) check(from []byte) {
	var payload int
	r.header, payload, r.err = Peek(from, r.options)
	r.size = payload + Overhead
}

// take moves bytes from a piece to the buffer.
func (r *Reader) take(piece *[]byte, n int) {
	if free := cap(r.buffer) - len(r.buffer); free < n {
		r.grow(n)
	}
	r.buffer = append(r.buffer, (*piece)[:n]...)
	*piece = (*piece)[n:]
}

// grow makes room for n more bytes, and for some that will follow them, if the
// frame has so many [MXP-4.3].
func (r *Reader) grow(n int) {
	received := len(r.buffer) + n
	size := received
	if r.size > 0 {
		size = min(r.size, received+received/8+step)
	} else {
		size = HeaderSize
	}
	grown := make([]byte, len(r.buffer), max(size, received))
	copy(grown, r.buffer)
	r.buffer = grown
}

// drop forgets the frame in the buffer, and a buffer that is large.
func (r *Reader) drop() {
	r.given, r.size = false, 0
	r.buffer = r.buffer[:0]
	if cap(r.buffer) > step {
		r.buffer = nil
	}
}

// Keep gives a large buffer away that the last frame lies in, so that its payload
// stays valid. It reports false if the frame lies elsewhere; it is then to be copied.
func (r *Reader) Keep() bool {
	size := len(r.buffer)
	if !r.given || cap(r.buffer) <= step || cap(r.buffer)-size > size/4 {
		return false
	}
	r.given, r.size, r.buffer = false, 0, nil
	return true
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

// Buffered is how many bytes of an incomplete frame have arrived.
func (r *Reader) Buffered() int {
	if r.given {
		return 0
	}
	return len(r.buffer)
}

// End reports how the stream has ended: by a refusal, or inside a frame
// [MXP-4.5]; else it is nil.
func (r *Reader) End() error {
	if r.err == nil && r.Buffered() > 0 {
		r.err = refuse(ErrTruncated, r.Buffered())
	}
	return r.err
}
