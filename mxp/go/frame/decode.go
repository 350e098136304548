package frame

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// Options say how frames are read. The zero value checks checksums, and takes
// payloads of up to 16 MiB.
type Options struct {
	Checksum Checksum
	// Limit is the longest payload that is taken; 0 and what is over
	// PayloadBytes mean that.
	Limit int
}

func (o Options) limit() uint64 {
	if o.Limit <= 0 || o.Limit > PayloadBytes {
		return PayloadBytes
	}
	return uint64(o.Limit)
}

// Decode reads the one frame that the bytes are. Its payload is a part of them.
func Decode(from []byte, options Options) (f Frame, err error) {
	size, err := f.decode(from, options)
	if err == nil && size < len(from) {
		return Frame{}, refuse(ErrTrailing, size)
	}
	return f, err
}

// DecodePrefix reads the frame that the bytes start with, and returns how many
// of them it has.
func DecodePrefix(from []byte, options Options) (f Frame, size int, err error) {
	size, err = f.decode(from, options)
	return f, size, err
}

// decode stays as it was if the bytes are refused. It fills a frame that is
// there: one that is returned with a size and an error has no place in registers.
func (f *Frame) decode(from []byte, options Options) (size int, err error) {
	if !headed(from, options) {
		return 0, headerRefusal(from, options)
	}
	size = int(length(from)) + Overhead
	if len(from) < size {
		return 0, refuse(ErrTruncated, len(from))
	}
	if !sealed(from[:size], options) {
		return 0, refuse(ErrChecksum, size-TrailerSize)
	}
	f.Header = header(from)
	f.Payload = from[HeaderSize : size-TrailerSize : size-TrailerSize]
	return size, nil
}

// Peek reads a header, of which all is checked that can be without the payload,
// and returns it with the length of the payload.
func Peek(from []byte, options Options) (h Header, payload int, err error) {
	if !headed(from, options) {
		return Header{}, 0, headerRefusal(from, options)
	}
	return header(from), int(length(from)), nil
}

// headed makes all checks of a header at once; which one fails is for
// headerRefusal to tell.
func headed(from []byte, options Options) bool {
	if len(from) < HeaderSize {
		return false
	}
	first := binary.LittleEndian.Uint64(from)
	return uint32(first) == Magic && first>>44 == 0 && Type(first>>32).Assigned() && length(from) <= options.limit()
}

// header reads a header that was checked.
func header(from []byte) Header {
	return Header{
		Type:      Type(from[4]),
		Flags:     Flags(from[5]),
		MessageID: binary.LittleEndian.Uint64(from[8:]),
		TraceID:   binary.LittleEndian.Uint64(from[16:]),
	}
}

func length(from []byte) uint64 { return binary.LittleEndian.Uint64(from[24:]) }

// headerRefusal makes the checks one by one, in the order of MXP-3.1.
func headerRefusal(from []byte, options Options) error {
	switch {
	case len(from) < HeaderSize:
		return refuse(ErrTruncated, len(from))
	case binary.LittleEndian.Uint32(from) != Magic:
		return refuse(ErrMagic, 0)
	case !Type(from[4]).Assigned():
		return refuse(ErrType, 4)
	case Flags(from[5])&^allFlags != 0:
		return refuse(ErrFlags, 5)
	case from[6] != 0 || from[7] != 0:
		return refuse(ErrReserved, 6)
	}
	return refuse(ErrTooLarge, 24)
}

// sealed reports whether a frame's checksum is its own, or is not to be checked.
func sealed(all []byte, options Options) bool {
	end := len(all) - TrailerSize
	return options.Checksum != ChecksumOn || xxh3.Hash(all[:end]) == binary.LittleEndian.Uint64(all[end:])
}
