package frame

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// Options say how frames are read. The zero value checks checksums, and takes
// payloads of up to 16 MiB.
type Options struct {
	Checksum Checksum
	// Limit is the longest payload that is taken; 0, or a number over PayloadBytes, means
	// PayloadBytes.
	Limit int
}

func (o Options) limit() uint64 {
	if o.Limit <= 0 || o.Limit > PayloadBytes {
		return PayloadBytes
	}
	return uint64(o.Limit)
}

// Decode reads the one frame that the bytes are. Its payload is a part of them.
func Decode(data []byte, options Options) (f Frame, err error) {
	size, err := f.decode(data, options)
	if err == nil && size < len(data) {
		return Frame{}, refuse(ErrTrailing, size)
	}
	return f, err
}

// DecodePrefix reads the frame that the bytes start with, and returns how many
// of them it has.
func DecodePrefix(data []byte, options Options) (f Frame, size int, err error) {
	size, err = f.decode(data, options)
	return f, size, err
}

// decode stays as it was if the bytes are refused. It fills a frame that is
// there: one that is returned with a size and an error has no place in registers.
func (f *Frame) decode(data []byte, options Options) (size int, err error) {
	if !headed(data, options) {
		return 0, headerRefusal(data, options)
	}
	size = int(length(data)) + Overhead
	if len(data) < size {
		return 0, refuse(ErrTruncated, len(data))
	}
	if !sealed(data[:size], options) {
		return 0, refuse(ErrChecksum, size-TrailerSize)
	}
	f.Header = header(data)
	f.Payload = data[HeaderSize : size-TrailerSize : size-TrailerSize]
	return size, nil
}

// Peek reads a header, of which all is checked that can be without the payload,
// and returns it with the length of the payload.
func Peek(data []byte, options Options) (h Header, payload int, err error) {
	if !headed(data, options) {
		return Header{}, 0, headerRefusal(data, options)
	}
	return header(data), int(length(data)), nil
}

// headed makes all checks of a header at once; which one fails is for
// headerRefusal to tell.
func headed(data []byte, options Options) bool {
	if len(data) < HeaderSize {
		return false
	}
	first := binary.LittleEndian.Uint64(data)
	return uint32(first) == Magic && first>>44 == 0 && Type(first>>32).Assigned() && length(data) <= options.limit()
}

// header reads a header that was checked.
func header(data []byte) Header {
	return Header{
		Type:      Type(data[4]),
		Flags:     Flags(data[5]),
		MessageID: binary.LittleEndian.Uint64(data[8:]),
		TraceID:   binary.LittleEndian.Uint64(data[16:]),
	}
}

func length(data []byte) uint64 { return binary.LittleEndian.Uint64(data[24:]) }

// headerRefusal makes the checks one by one, in the order of MXP-3.1.
func headerRefusal(data []byte, options Options) error {
	switch {
	case len(data) < HeaderSize:
		return refuse(ErrTruncated, len(data))
	case binary.LittleEndian.Uint32(data) != Magic:
		return refuse(ErrMagic, 0)
	case !Type(data[4]).Assigned():
		return refuse(ErrType, 4)
	case Flags(data[5])&^allFlags != 0:
		return refuse(ErrFlags, 5)
	case data[6] != 0 || data[7] != 0:
		return refuse(ErrReserved, 6)
	}
	return refuse(ErrTooLarge, 24)
}

// sealed reports whether a frame's checksum is its own, or is not to be checked.
func sealed(records []byte, options Options) bool {
	end := len(records) - TrailerSize
	return options.Checksum != ChecksumOn || xxh3.Hash(records[:end]) == binary.LittleEndian.Uint64(records[end:])
}
