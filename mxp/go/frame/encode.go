package frame

import (
	"encoding/binary"
	"slices"

	"github.com/zeebo/xxh3"
)

// check refuses a header that a decoder would refuse [MXP-2.1].
func (h *Header) check(payload int) error {
	switch {
	case !h.Type.Assigned():
		return refuse(ErrType, 4)
	case h.Flags&^allFlags != 0:
		return refuse(ErrFlags, 5)
	case payload > PayloadBytes:
		return refuse(ErrTooLarge, 24)
	}
	return nil
}

// put writes the header of a frame with so many bytes of payload.
func (h *Header) put(header *[HeaderSize]byte, payload int) {
	putWord(header[0:], Magic|uint64(h.Type)<<32|uint64(h.Flags)<<40)
	binary.LittleEndian.PutUint64(header[8:], h.MessageID)
	binary.LittleEndian.PutUint64(header[16:], h.TraceID)
	binary.LittleEndian.PutUint64(header[24:], uint64(payload))
}

// putWord writes 8 bytes at once, of which the hash then reads all at once. Were
// it inlined, the compiler would write those one by one that it knows to be 0.
//
//go:noinline
func putWord(buffer []byte, word uint64) { binary.LittleEndian.PutUint64(buffer, word) }

// Append appends the frame to a buffer.
func (f *Frame) Append(buffer []byte, checksum Checksum) ([]byte, error) {
	if err := f.check(len(f.Payload)); err != nil {
		return buffer, err
	}
	start, size := len(buffer), f.Size()
	if cap(buffer)-start < size {
		buffer = slices.Grow(buffer, size)
	}
	buffer = buffer[:start+size]
	f.write(buffer[start:], checksum)
	return buffer, nil
}

// Encode writes the frame to the front of a buffer, and returns its size.
func (f *Frame) Encode(buffer []byte, checksum Checksum) (int, error) {
	if err := f.check(len(f.Payload)); err != nil {
		return 0, err
	}
	if len(buffer) < f.Size() {
		return 0, refuse(ErrBufferTooSmall, -1)
	}
	f.write(buffer[:f.Size()], checksum)
	return f.Size(), nil
}

// write fills a buffer of the frame's size.
func (f *Frame) write(buffer []byte, checksum Checksum) {
	f.put((*[HeaderSize]byte)(buffer), len(f.Payload))
	end := HeaderSize + copy(buffer[HeaderSize:], f.Payload)
	trailer := uint64(0)
	if checksum == ChecksumOn {
		trailer = xxh3.Hash(buffer[:end])
	}
	binary.LittleEndian.PutUint64(buffer[end:], trailer)
}

// Envelope is what stands around a payload that lies elsewhere, and is not
// copied: to be written before and after it, with writev for instance.
type Envelope struct {
	Header  [HeaderSize]byte
	Trailer [TrailerSize]byte
}

// gathered is up to which size a payload is copied behind its header to be
// hashed with it at once. Hashing in steps costs more than this copy takes; see
// BenchmarkWrap.
const gathered = 1024

// Seal makes the envelope of a payload, which may lie in several pieces.
func (e *Envelope) Seal(h Header, checksum Checksum, pieces ...[]byte) error {
	n := 0
	for _, piece := range pieces {
		n += len(piece)
		if n < 0 || n > PayloadBytes {
			n = PayloadBytes + 1
			break
		}
	}
	if err := h.check(n); err != nil {
		return err
	}
	h.put(&e.Header, n)
	trailer := uint64(0)
	if checksum == ChecksumOn {
		trailer = e.hash(n, pieces)
	}
	binary.LittleEndian.PutUint64(e.Trailer[:], trailer)
	return nil
}

// hash is that of the header and the n bytes of the pieces.
func (e *Envelope) hash(n int, pieces [][]byte) uint64 {
	switch {
	case n <= 96: // a larger array would take longer to clear than to fill
		return e.hashAtOnce(new([HeaderSize + 96]byte)[:], pieces)
	case n <= gathered:
		return e.hashAtOnce(new([HeaderSize + gathered]byte)[:], pieces)
	}
	return e.hashInSteps(pieces)
}

// hashAtOnce gathers header and pieces first.
func (e *Envelope) hashAtOnce(target []byte, pieces [][]byte) uint64 {
	end := copy(target, e.Header[:])
	for _, piece := range pieces {
		end += copy(target[end:], piece)
	}
	return xxh3.Hash(target[:end])
}

func (e *Envelope) hashInSteps(pieces [][]byte) uint64 {
	var h xxh3.Hasher
	h.Write(e.Header[:])
	for _, piece := range pieces {
		h.Write(piece)
	}
	return h.Sum64()
}

// HashText is the hash of a text, by the function of the trailer [MXP-1.6].
func HashText(text string) uint64 { return xxh3.HashString(text) }
