package peer

import (
	"net"
	"os"
	"slices"
	"time"
)

// memoryOffered is memory that a side hands over, and must not [MXP-18.4].
type memoryOffered struct {
	what            string
	size, allocated int // beside what a ring of 64 KiB has
	without         int // seals
	descriptors     int // how often the descriptor comes
	file            string
}

func (m memoryOffered) String() string { return m.what }

var unfit = []memoryOffered{
	{what: "it may shrink", without: sealShrink, descriptors: 1},
	{what: "it may grow", without: sealGrow, descriptors: 1},
	{what: "each holder may write", without: sealWrite, descriptors: 1},
	{what: "its seals may change", without: sealSeal, descriptors: 1},
	{what: "it has 4 KiB less than its ring", size: -4096, allocated: -4096, descriptors: 1},
	{what: "it has 4 KiB more than its ring", size: 4096, allocated: 4096, descriptors: 1},
	{what: "its last 4 KiB are not allocated", allocated: -4096, descriptors: 1},
	{what: "two descriptors come", descriptors: 2},
	{what: "three descriptors come", descriptors: 3},
	{what: "it is a file of a folder", file: "/proc/self/exe", descriptors: 1},
}

// lend sends an Offer with it.
func (m memoryOffered) lend(conn net.Conn) {
	whole := sharedHead + ringBytes
	made, err := newLent(whole+m.size, whole+m.allocated, sharedSeals&^m.without)
	if err != nil {
		fail("no memory can be made: %v", err)
	}
	defer made.file.Close()
	defer unmap(made.memory)
	file := made.file
	if m.file != "" {
		if file, err = os.Open(m.file); err != nil {
			fail("%v", err)
		}
		defer file.Close()
	}
	lend(conn, offering(ringBytes), slices.Repeat([]*os.File{file}, m.descriptors)...)
}

// misnumbering is a number of this side's that can't be.
type misnumbering struct {
	what   string
	writes bool // the other side sees it when it writes
	lie    func(*shared)
}

func (m misnumbering) String() string { return m.what }

var misnumbered = []misnumbering{
	{"this side has written less than was taken", false, func(s *shared) { s.says(atWritten, s.written-1) }},
	{"this side has written more than its ring has", false, func(s *shared) { s.says(atWritten, s.written+ringBytes+1) }},
	{"this side has written 2^64-1 bytes", false, func(s *shared) { s.says(atWritten, 1<<64-1) }},
	{"this side has taken more than was written", true, func(s *shared) { s.says(atTaken, 1<<40) }},
	{"this side has taken less by more than the ring has", true, func(s *shared) { s.says(atTaken, 0) }},
}

// tidy fails unless the other side's memory has nothing before its ring but its numbers [MXP-18.6].
func (s *shared) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	numbers := map[int]int{atWritten: 8, atEnded: 4, atTaken: 8, atAwaitsBytes: 4, atAwaitsRoom: 4, atBell: 4}
	for at := 0; at < sharedHead; at++ {
		if size := numbers[at]; size > 0 {
			at += size - 1
		} else if s.peers[at] != 0 {
			fail("its memory has %d at %d", s.peers[at], at)
		}
	}
}

// cut fails unless the connection ends within a time, be it inside a frame.
func (p *Peer) cut(within time.Duration) {
	for end := time.Now().Add(within); p.gone == nil; {
		if !p.fill(len(p.buffer)+1, time.Until(end)) && p.gone == nil {
			fail("the connection is there after %s", within)
		}
	}
}
