package shm

import (
	"encoding/binary"
	"fmt"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// offerBytes is the size of an Offer [MXP-18.3].
const offerBytes = 32

const (
	offerMagic   = "MXPS"
	offerVersion = 1

	atVersion = 4
	atVerdict = 5
	atRing    = 8
)

// verdict is a side's answer to the memory that it was offered.
type verdict byte

const (
	memoryTaken verdict = iota
	overSocket
	connectionRefused
)

// offer is the first message of a side on a connection.
type offer struct {
	verdict verdict
	ring    int // bytes of its own; 0 where the verdict is not memoryTaken
}

func (o offer) bytes() []byte {
	b := make([]byte, offerBytes)
	copy(b, offerMagic)
	b[atVersion], b[atVerdict] = offerVersion, byte(o.verdict)
	binary.LittleEndian.PutUint64(b[atRing:], uint64(o.ring))
	return b
}

// parseOffer reads what has come of an Offer until its end, or until it is whole. An opener's
// has no verdict but that it offers memory [MXP-18.4].
func parseOffer(b []byte, opener bool) (o offer, err error) {
	if len(b) < offerBytes {
		return o, handover("its offer ends after %d bytes of %d", len(b), offerBytes)
	}
	ring := binary.LittleEndian.Uint64(b[atRing:])
	o.verdict = verdict(b[atVerdict])
	switch {
	case string(b[:len(offerMagic)]) != offerMagic:
		return o, handover("it begins with % x", b[:len(offerMagic)])
	case b[atVersion] != offerVersion:
		return o, handover("its offer has version %d", b[atVersion])
	case o.verdict > connectionRefused, opener && o.verdict != memoryTaken:
		return o, handover("its offer has verdict %d", o.verdict)
	case o.verdict == memoryTaken && !isRing(ring), o.verdict != memoryTaken && ring != 0:
		return o, handover("its offer has a ring of %d bytes", ring)
	}
	for at, one := range b {
		if one != 0 && (at > atVerdict && at < atRing || at >= atRing+8) {
			return o, handover("its offer has %d at %d", one, at)
		}
	}
	o.ring = int(ring)
	return o, nil
}

// CheckRing refuses a size that no ring can have.
func CheckRing(bytes int) error {
	if bytes < 0 || !isRing(uint64(bytes)) {
		return fmt.Errorf("a ring has a power of two from %d to %d bytes, and not %d", ringLeast, ringMost, bytes)
	}
	return nil
}

// Rings have a power of two of bytes between these [MXP-18.2].
const (
	ringLeast = 4 << 10
	ringMost  = 1 << 30
)

func isRing(bytes uint64) bool {
	return bytes >= ringLeast && bytes <= ringMost && bytes&(bytes-1) == 0
}

func handover(format string, values ...any) error {
	return refuse(session.ErrShmHandover, format, values...)
}

func unfit(format string, values ...any) error {
	return refuse(session.ErrShmMemory, format, values...)
}

func refuse(name error, format string, values ...any) error {
	return fmt.Errorf("%w: %s", name, fmt.Sprintf(format, values...))
}
