package main

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// Payloads of the protocol's own frames, as spec/mxp.sdp has them.

func callStart(service, method uint16, deadline uint64) []byte {
	p := binary.LittleEndian.AppendUint32(nil, 14)
	p = binary.LittleEndian.AppendUint16(p, service)
	p = binary.LittleEndian.AppendUint16(p, method)
	return append(binary.LittleEndian.AppendUint64(p, deadline), 0, 0)
}

func grantOf(messages uint32, bytes uint64) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, messages), bytes)
}

func streamStart(messages uint32, bytes uint64) []byte {
	p := binary.LittleEndian.AppendUint32(callStart(0, 1, 0), 12)
	return append(p, grantOf(messages, bytes)...)
}

func failure(status uint16, refused byte, name string) []byte {
	p := append(binary.LittleEndian.AppendUint16(nil, status), refused, byte(len(name)))
	return append(append(p, name...), make([]byte, 8)...)
}

// unassigned is a number that no type has.
const unassigned frame.Type = 0x7f

// lie gives a frame that a genuine peer would not send to a side, often one that is nearly right.
func lie(rng *rand.Rand, to *endpoint) []byte {
	t := unassigned
	if n := rng.IntN(len(frameTypes) + 1); n < len(frameTypes) {
		t = frameTypes[n]
	}
	if rng.IntN(3) == 0 {
		if data := lieAboutStream(rng, to); data != nil {
			return data
		}
	}
	f := frame.Frame{Header: frame.Header{Type: t, MessageID: to.someID(rng)}, Payload: lyingPayload(rng, t)}
	switch {
	case isOfSession[t]:
		f.MessageID = 0
	case begins[t] && rng.IntN(4) > 0:
		f.MessageID = to.theirs.last | 1 ^ to.parity + 2*(2+rng.Uint64N(3))
	}
	if rng.IntN(8) == 0 {
		f.Flags = frame.Flags(1 << rng.IntN(5))
	} else if t == frame.Event || t == frame.StreamChunk || t == frame.StreamChunks {
		f.Flags = frame.Flags(4 * rng.IntN(2))
	}
	data, err := f.Append(nil, frame.ChecksumOn)
	if err != nil { // it is one that can't be written: its header is all there is
		data, _ = (&frame.Frame{Header: frame.Header{Type: frame.Ping, MessageID: f.MessageID}}).Append(nil, frame.ChecksumOn)
		data[4], data[5] = byte(f.Type), byte(f.Flags)
	}
	if rng.IntN(20) == 0 { // a length that is not that of the payload
		binary.LittleEndian.PutUint64(data[24:], [...]uint64{1, 1 << 20, 1 << 24, 1<<24 + 1, never}[rng.IntN(5)])
	}
	return data
}

// lieAboutStream gives a chunk, an end, credit or an Ack of a stream that is there, with a false payload.
func lieAboutStream(rng *rand.Rand, to *endpoint) []byte {
	for _, t := range []table{to.own, to.theirs} {
		for _, x := range t.placed {
			if x.kind != "open" || rng.IntN(2) == 0 {
				continue
			}
			t := [...]frame.Type{frame.StreamChunk, frame.StreamChunks, frame.StreamChunks, frame.StreamClose, frame.Credit, frame.Ack}[rng.IntN(6)]
			f := frame.Frame{Header: frame.Header{Type: t, MessageID: x.id}, Payload: lyingPayload(rng, t)}
			if t == frame.StreamChunk || t == frame.StreamChunks {
				f.Flags = frame.Flags(4 * rng.IntN(4))
			}
			if data, err := f.Append(nil, frame.ChecksumOn); err == nil {
				return data
			}
		}
	}
	return nil
}

// someID gives an id that a frame might name, or might not.
func (e *endpoint) someID(rng *rand.Rand) uint64 {
	t := &e.own
	if rng.IntN(2) == 0 {
		t = &e.theirs
	}
	switch {
	case rng.IntN(10) == 0:
		return rng.Uint64N(3)
	case len(t.placed) > 0 && rng.IntN(4) > 0:
		return t.placed[rng.IntN(len(t.placed))].id
	case rng.IntN(20) == 0:
		return rng.Uint64()
	}
	return rng.Uint64N(t.last + 6)
}

// lyingPayload gives the content of frames of a type, with false values, or something else.
func lyingPayload(rng *rand.Rand, t frame.Type) []byte {
	some := make([]byte, rng.IntN(20))
	for i := range some {
		some[i] = byte(rng.IntN(4))
	}
	if rng.IntN(10) == 0 {
		return some
	}
	switch t {
	case frame.Call, frame.Event:
		return append(callStart(uint16(rng.IntN(3)), 1, rng.Uint64N(2)*rng.Uint64N(5000)), some...)
	case frame.Events:
		return append(callStart(uint16(rng.IntN(3)), 1, 0), lyingRecords(rng)...)
	case frame.StreamChunks:
		return lyingRecords(rng)
	case frame.StreamOpen:
		return append(streamStart(rng.Uint32(), rng.Uint64()), some...)
	case frame.Response:
		return append([]byte{1, 0, 0, 0, 0}, some...)
	case frame.Credit:
		return grantOf(rng.Uint32(), never-rng.Uint64N(3))
	case frame.Ack:
		return binary.LittleEndian.AppendUint64(nil, rng.Uint64N(4))
	case frame.Error:
		return failure(uint16(rng.IntN(20)), byte(rng.IntN(2)), "no_such_thing")
	case frame.Drain:
		if rng.IntN(2) == 0 {
			return make([]byte, 4)
		}
		return binary.LittleEndian.AppendUint64([]byte{0, 0, 0, 0, 1}, rng.Uint64N(12))
	case frame.AgentRegister:
		return append([]byte{1, 'h', 0}, make([]byte, 8)...)
	case frame.AgentDiscover, frame.AgentHeartbeat:
		return []byte{1, 'h'}
	case frame.Hello:
		return append([]byte{1, 0, 0, 0, 1, 0}, make([]byte, 12)...)
	}
	return some
}

// lyingRecords gives the records of a batch, of which the last often is none.
func lyingRecords(rng *rand.Rand) (all []byte) {
	for range rng.IntN(5) {
		n := rng.IntN(4)
		all = append(append(all, byte(n), 0), make([]byte, n)...)
	}
	switch rng.IntN(6) {
	case 0:
		all = append(all, 1)
	case 1:
		all = append(all, 2, 0, 7)
	case 2:
		all = append(all, make([]byte, [...]int{65536, 65537}[rng.IntN(2)]-min(len(all), 65536))...)
	}
	return all
}

// attack puts something into the bytes that come for a side, or changes them.
func (e *endpoint) attack() {
	w, l := e.world, &e.peer.out
	if !e.ready || e.closed() {
		return
	}
	w.genuine = false
	if len(l.pieces) > 0 && w.rng.IntN(8) == 0 {
		p := &l.pieces[w.rng.IntN(len(l.pieces))]
		at := w.rng.IntN(len(p.data))
		p.data[at] ^= 1 << w.rng.IntN(8)
		w.remark("a bit of the input of %s is flipped", e.name)
		return
	}
	n := 1
	if w.rng.IntN(6) == 0 {
		n = 2 + w.rng.IntN(6)
	}
	for range n {
		data := lie(w.rng, e)
		l.insert(data, w.now, w.rng.IntN)
		w.remark("%s gets %s", e.name, shownFrame(hexed(data)))
	}
}
