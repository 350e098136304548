package tap

import (
	"sync/atomic"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

const (
	// pieceBytes is how much is read at a time.
	pieceBytes = 64 << 10
	// freeBytes is how much of a frame a connection may always keep.
	freeBytes = 256 << 10
	// heldBytesMax is how much all connections may keep beyond that.
	heldBytesMax = 256 << 20
)

// budget is what all connections keep of frames that have not come whole.
type budget struct{ held atomic.Int64 }

// take takes bytes, if there are so many.
func (b *budget) take(n int) bool {
	if b.held.Add(int64(n)) <= heldBytesMax {
		return true
	}
	b.held.Add(int64(-n))
	return false
}

// tooMuch is the reason why a frame is not kept that is larger than the rest of the budget.
const tooMuch = "too large to be kept beside others"

// splitter finds the frames in the bytes of one direction. It looks at no
// checksum: trailers say nothing of where the next frame begins.
type splitter struct {
	budget *budget
	buffer []byte // what has come of a frame
	size   int    // of that frame, once its header is there
	taken  int    // from the budget
	skip   int    // bytes of a frame that is not kept
	broken string // the refusal after which nothing is read
}

// take finds what a piece completes. Found is given each frame, or bytes that are
// none, with the reason.
func (s *splitter) take(piece []byte, result func(bytes []byte, why string)) {
	for len(piece) > 0 {
		switch {
		case s.broken != "":
			result(piece, s.broken)
			return
		case s.skip > 0:
			n := min(s.skip, len(piece))
			s.skip -= n
			result(piece[:n], tooMuch)
			piece = piece[n:]
			continue
		}
		want := frame.HeaderSize
		if s.size > 0 {
			want = s.size
		}
		n := min(want-len(s.buffer), len(piece))
		s.buffer = append(s.buffer, piece[:n]...)
		piece = piece[n:]
		switch {
		case len(s.buffer) < want:
		case s.size > 0:
			result(s.buffer, "")
			s.drop()
		default:
			s.header(result)
		}
	}
}

// header looks at a header that has come.
func (s *splitter) header(result func([]byte, string)) {
	_, payload, err := frame.Peek(s.buffer, frame.Options{})
	if err != nil {
		s.broken = err.Error()
		result(s.buffer, s.broken)
		s.drop()
		return
	}
	s.size = payload + frame.Overhead
	if s.size <= freeBytes {
		return
	}
	if !s.budget.take(s.size) {
		s.skip = s.size - len(s.buffer)
		result(s.buffer, tooMuch)
		s.drop()
		return
	}
	s.taken = s.size
}

// drop forgets the frame.
func (s *splitter) drop() {
	s.budget.held.Add(int64(-s.taken))
	s.size, s.taken = 0, 0
	s.buffer = s.buffer[:0]
	if cap(s.buffer) > freeBytes {
		s.buffer = nil
	}
}

// end gives back what has come of a frame that will not come whole.
func (s *splitter) end(result func([]byte, string)) {
	if len(s.buffer) > 0 {
		result(s.buffer, frame.ErrTruncated.String())
	}
	s.drop()
}
