package interp

import (
	"errors"
	"io"
)

// chunkBytes is how much a reading Input asks for at once. A buffer grows by as
// much at a time, so that it follows the bytes received and not a declared
// length.
const chunkBytes = 64 << 10

// Input is the bytes of one value, of known number, read once from front to
// back.
type Input struct {
	buffer []byte // what was read and not consumed
	store  []byte // the memory that buffer is a part of, if there is a source
	source io.Reader
	unread int64 // how much of the value is still in source
	pos    int64 // of the buffer's first byte
}

// FromBytes makes an input of a slice, which must not change while it is in use.
func FromBytes(b []byte) *Input { return &Input{buffer: b} }

// FromReader makes an input of the next size bytes of r. It reads ahead, but
// never beyond them. If r ends before, the walk fails with io.ErrUnexpectedEOF,
// which is no refusal.
func FromReader(r io.Reader, size int64) *Input { return &Input{source: r, unread: size} }

// size is the number of bytes that aren't consumed.
func (in *Input) size() int64 { return int64(len(in.buffer)) + in.unread }

// peek returns the next n bytes, which the caller knows to be there. They are
// valid until the next peek.
func (in *Input) peek(n int64) ([]byte, error) {
	for int64(len(in.buffer)) < n {
		if err := in.fill(); err != nil {
			return nil, err
		}
	}
	return in.buffer[:n:n], nil
}

// skip consumes n bytes.
func (in *Input) skip(n int64) error {
	for n > 0 {
		if len(in.buffer) == 0 {
			if err := in.fill(); err != nil {
				return err
			}
		}
		step := min(n, int64(len(in.buffer)))
		in.buffer = in.buffer[step:]
		in.pos += step
		n -= step
	}
	return nil
}

// fill reads one chunk behind the buffer.
func (in *Input) fill() error {
	want := int(min(chunkBytes, in.unread))
	if want == 0 {
		return io.ErrUnexpectedEOF
	}
	in.makeRoom(want)
	have := len(in.buffer)
	n, err := io.ReadAtLeast(in.source, in.buffer[have:have+want], 1)
	in.buffer = in.buffer[:have+n]
	in.unread -= int64(n)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// makeRoom moves the buffer to the front of its store when there are fewer than
// want bytes behind it, and to a larger store when that isn't enough.
func (in *Input) makeRoom(want int) {
	have := len(in.buffer)
	if cap(in.buffer)-have >= want {
		return
	}
	if have+want > len(in.store)/2 {
		in.store = make([]byte, 2*(have+want))
	}
	copy(in.store, in.buffer)
	in.buffer = in.store[:have]
}
