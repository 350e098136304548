package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// link carries bytes from one side to the other, in order and late.
type link struct {
	pieces []piece
	last   uint64 // when the last piece arrives
}

// piece is some whole frames, of which some bytes may have been read.
type piece struct {
	data  []byte
	at    uint64
	begun bool
}

func (l *link) push(data []byte, at uint64) {
	l.last = max(l.last, at)
	l.pieces = append(l.pieces, piece{data: data, at: l.last})
}

// arrived gives how many bytes are there at a time.
func (l *link) arrived(now uint64) (n int) {
	for _, p := range l.pieces {
		if p.at > now {
			break
		}
		n += len(p.data)
	}
	return n
}

// peek gives the first n bytes.
func (l *link) peek(n int) []byte {
	var all []byte
	for _, p := range l.pieces {
		if len(all) == n {
			break
		}
		all = append(all, p.data[:min(len(p.data), n-len(all))]...)
	}
	return all
}

// drop removes the first n bytes, which were read.
func (l *link) drop(n int) {
	for n > 0 {
		p := &l.pieces[0]
		taken := min(n, len(p.data))
		p.data, p.begun = p.data[taken:], true
		n -= taken
		if len(p.data) == 0 {
			l.pieces = l.pieces[1:]
		}
	}
}

// insert puts bytes where a frame begins; where that is, at chooses.
func (l *link) insert(data []byte, now uint64, at func(int) int) {
	first := 0
	if len(l.pieces) > 0 && l.pieces[0].begun {
		first = 1
	}
	i := first + at(len(l.pieces)-first+1)
	when := now
	if i > 0 {
		when = max(when, l.pieces[i-1].at)
	}
	if i < len(l.pieces) {
		when = min(when, l.pieces[i].at)
	}
	l.last = max(l.last, when)
	l.pieces = slices.Insert(l.pieces, i, piece{data: data, at: when})
}

// poll takes frames out of the queue; n is how many at most, 0 all.
func (e *endpoint) poll(n int) {
	words := ""
	if n > 0 {
		words = fmt.Sprintf("max=%d", n)
	}
	a := e.send("poll", words)
	if e.world.stopped() {
		return
	}
	var data []byte
	var replies uint64
	for _, line := range a.lines {
		one, err := hex.DecodeString(line)
		if err != nil || len(one) < frame.Overhead {
			e.violate("it gives out %.100q", line)
			return
		}
		replies += e.givenOut(one)
		data = append(data, one...)
	}
	if replies >= e.config.replyBytes+replyBytesMax {
		e.violate("%d bytes of replies waited [MXP-9.4]", replies)
	}
	if e.end != nil && !e.end.remote && e.end.name != "session_lost" && e.end.name != "" && e.state.finished && e.told != e.end.name {
		e.violate("it ended with %q and told the peer %q [MXP-11.2]", e.end.name, e.told)
	}
	if len(data) > 0 {
		e.out.push(data, e.world.now+e.world.rng.Uint64N(500))
	}
	e.check()
}

// replyBytesMax is more than a Pong or an Error of a session's own making has.
const replyBytesMax = 100

// givenOut looks at a frame, and gives its length if reading made it: a Pong, or an Error that
// refuses what no user has refused.
func (e *endpoint) givenOut(one []byte) uint64 {
	payload := one[frame.HeaderSize : len(one)-frame.TrailerSize]
	id := number(idOf(one))
	if x := e.own.all[id]; x != nil && !x.given {
		x.given = true
		if x.phase == gone && x.acted != "" {
			e.violate("request %d had ended, and is given out [MXP-7.6]", id)
		}
	}
	switch frame.Type(one[4]) {
	case frame.Pong:
		return uint64(len(one))
	case frame.Error:
		if len(payload) < 4 || len(payload) < 4+int(payload[3]) {
			e.violate("it gives out an Error that is none")
			return 0
		}
		if id == 0 {
			e.told = string(payload[4 : 4+payload[3]])
		} else if payload[2] == 1 && e.theirs.all[id] == nil {
			return uint64(len(one))
		}
	}
	return 0
}

// idOf writes the id of a frame.
func idOf(one []byte) string {
	n := uint64(0)
	for i := range 8 {
		n |= uint64(one[8+i]) << (8 * i)
	}
	return fmt.Sprint(n)
}

// deliver gives a side what has come for it, or a part of that.
func (e *endpoint) deliver(part bool) {
	l := &e.peer.out
	n := l.arrived(e.world.now)
	if n == 0 {
		return
	}
	if part {
		n = 1 + e.world.rng.IntN(n)
	}
	used := e.receive(l.peek(n))
	if used > n {
		e.violate("of %d bytes it took %d", n, used)
		return
	}
	l.drop(used)
}

// shownFrame writes a frame for people.
func shownFrame(line string) string {
	one, err := hex.DecodeString(line)
	if err != nil || len(one) < frame.Overhead {
		return line
	}
	trailer := one[len(one)-frame.TrailerSize:]
	sealed := "hash"
	if bytes.Equal(trailer, make([]byte, frame.TrailerSize)) {
		sealed = "zero"
	}
	payload := hexed(one[frame.HeaderSize : len(one)-frame.TrailerSize])
	return fmt.Sprintf("%v flags=%d id=%s trace=%x payload=%s trailer=%s", frame.Type(one[4]), one[5], idOf(one), one[16:24], payload, sealed)
}

// unhexed reads a text; what is none is shown as it is.
func unhexed(text string) string {
	data, err := hex.DecodeString(strings.TrimSuffix(text, "-"))
	if err != nil {
		return text
	}
	return string(data)
}
