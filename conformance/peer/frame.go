package peer

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"
)

// The types of frames [MXP-1.3].
const (
	agentRegister = 0x01
	call          = 0x10
	response      = 0x11
	event         = 0x12
	streamOpen    = 0x20
	streamChunk   = 0x21
	streamClose   = 0x22
	hello         = 0x80
	cancel        = 0x81
	credit        = 0x82
	drain         = 0x83
	ping          = 0x84
	pong          = 0x85
	streamChunks  = 0x86
	events        = 0x87
	ack           = 0xf0
	failed        = 0xf1
)

var typeNames = map[byte]string{
	agentRegister: "AgentRegister", 0x02: "AgentDiscover", 0x03: "AgentHeartbeat", call: "Call", response: "Response", event: "Event",
	streamOpen: "StreamOpen", streamChunk: "StreamChunk", streamClose: "StreamClose", hello: "Hello", cancel: "Cancel", credit: "Credit",
	drain: "Drain", ping: "Ping", pong: "Pong", streamChunks: "StreamChunks", events: "Events", ack: "Ack", failed: "Error",
}

// The flags of frames [MXP-1.4].
const (
	compressed  = 1
	encrypted   = 2
	requiresAck = 4
	final       = 8
)

const (
	magic        = 0x4d585031
	headerBytes  = 32
	trailerBytes = 8
	payloadMost  = 16 << 20
	controlMost  = 1 << 20
	batchMost    = 64 << 10
)

// Frame is a frame that a case sends, or that has come.
type Frame struct {
	Type, Flags byte
	ID, Trace   uint64
	Payload     []byte
}

func (f Frame) String() string {
	name := typeNames[f.Type]
	if name == "" {
		name = fmt.Sprintf("type %02x", f.Type)
	}
	return fmt.Sprintf("%s of id %d, flags %d, payload of %d bytes", name, f.ID, f.Flags, len(f.Payload))
}

// bytes are the frame's, with its hash.
func (f Frame) bytes() []byte {
	made := make([]byte, headerBytes, headerBytes+len(f.Payload)+trailerBytes)
	binary.LittleEndian.PutUint32(made, magic)
	made[4], made[5] = f.Type, f.Flags
	binary.LittleEndian.PutUint64(made[8:], f.ID)
	binary.LittleEndian.PutUint64(made[16:], f.Trace)
	binary.LittleEndian.PutUint64(made[24:], uint64(len(f.Payload)))
	made = append(made, f.Payload...)
	return binary.LittleEndian.AppendUint64(made, xxh3.Hash(made))
}

// reserved are a frame's bytes with a number where 0 has to be.
func (f Frame) reserved(number uint16) []byte {
	made := f.bytes()
	binary.LittleEndian.PutUint16(made[6:], number)
	return rehashed(made)
}

// promising are a frame's bytes whose header tells of a payload of another length.
func (f Frame) promising(length uint64) []byte {
	made := f.bytes()
	binary.LittleEndian.PutUint64(made[24:], length)
	return rehashed(made)
}

// damaged are a frame's bytes whose trailer is not its hash.
func (f Frame) damaged() []byte {
	made := f.bytes()
	made[len(made)-1] ^= 0x40
	return made
}

// unhashed are a frame's bytes whose trailer is 0.
func (f Frame) unhashed() []byte {
	made := f.bytes()
	clear(made[len(made)-trailerBytes:])
	return made
}

// rehashed gives a frame the hash of its present content.
func rehashed(frame []byte) []byte {
	body := frame[:len(frame)-trailerBytes]
	return binary.LittleEndian.AppendUint64(body, xxh3.Hash(body))
}

// records are values as in a batch [MXP-17.3].
func records(values ...string) (payload []byte) {
	for _, value := range values {
		payload = binary.LittleEndian.AppendUint16(payload, uint16(len(value)))
		payload = append(payload, value...)
	}
	return payload
}

// valuesOf are the values of a frame of a stream, be it a batch.
func valuesOf(f Frame) (values []string) {
	if f.Type == streamChunk {
		return []string{string(f.Payload)}
	}
	for rest := f.Payload; len(rest) > 0; {
		if len(rest) < 2 {
			fail("a batch ends inside the number of a record")
		}
		n := int(binary.LittleEndian.Uint16(rest))
		if rest = rest[2:]; len(rest) < n {
			fail("a batch ends inside a record")
		}
		values, rest = append(values, string(rest[:n])), rest[n:]
	}
	return values
}
