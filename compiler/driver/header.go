package driver

import (
	"encoding/binary"
	"io"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

const (
	// magicPrefix is how each message begins, whatever its version [WIRE-10.1].
	magicPrefix = "SDP"
	// typeIDOffset is where a header's type id stands.
	typeIDOffset = 4
)

// header is the first bytes of what may be a message, as many as there are.
type header []byte

// headerAt reads what stands where a header could.
func headerAt(in io.ReaderAt, at int64) header {
	bytes := make([]byte, interp.HeaderBytes)
	n, _ := in.ReadAt(bytes, at)
	return bytes[:n]
}

// sound tells whether the header is complete and of the version that is known,
// so that its parts mean something.
func (h header) sound() bool {
	return len(h) == interp.HeaderBytes && strings.HasPrefix(string(h), magicPrefix+"2")
}

// mayBegin tells whether these could be the first bytes of a message, of which
// the rest may be missing.
func (h header) mayBegin() bool {
	n := min(len(h), len(magicPrefix))
	return string(h[:n]) == magicPrefix[:n]
}

func (h header) hasTypeID() bool { return len(h) >= 6 }

func (h header) typeID() uint16 { return binary.LittleEndian.Uint16(h[typeIDOffset:]) }

func (h header) payload() int64 { return int64(binary.LittleEndian.Uint32(h[6:])) }

// newHeader is the header of a message.
func newHeader(id uint16, payload int64) []byte {
	bytes := binary.LittleEndian.AppendUint16([]byte(magicPrefix+"2"), id)
	return binary.LittleEndian.AppendUint32(bytes, uint32(payload))
}
