package shm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"golang.org/x/sys/unix"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Options are what a side's connections have in common.
type Options struct {
	Network   string // what addresses say
	RingBytes int
	Spin      time.Duration // how long who waits looks before it sleeps
	Rings     *Rings
}

// Fallback is why a connection goes on over its socket [MXP-18.5]. It is an error of Open and
// Accept, after which the socket is there.
type Fallback struct {
	Reason string
	// Again is whether another socket is needed: what is on this one is no session.
	Again bool
}

func (o *Fallback) Error() string { return o.Reason }

func overItsSocket(err error) error { return &Fallback{Reason: err.Error()} }

// frameStart is the first bytes of each frame.
var frameStart = binary.LittleEndian.AppendUint32(nil, frame.Magic)

// Open offers memory to the listener, and takes the listener's.
func Open(ctx context.Context, socket *net.UnixConn, o Options) (*Conn, error) {
	s := side{Options: o}
	defer s.drop()
	if err := s.make(o.RingBytes); err != nil {
		return nil, overItsSocket(err)
	}
	if err := s.exchange(ctx, socket, s.propose); err != nil {
		return nil, err
	}
	return s.conn(socket)
}

// Accept takes the memory of a peer that has connected, and gives its own. It gives no connection
// and no error for a peer that offers none: what it has sent is there to be read.
func Accept(ctx context.Context, socket *net.UnixConn, o Options) (*Conn, error) {
	s := side{Options: o}
	defer s.drop()
	plain := false
	err := s.exchange(ctx, socket, func(socket *net.UnixConn) (err error) {
		if plain, err = isPlain(socket); plain || err != nil {
			return err
		}
		return s.answer(socket)
	})
	if plain || err != nil {
		return nil, err
	}
	return s.conn(socket)
}

// side is the state of one side while a connection is being made.
type side struct {
	Options
	own, peers memory
	descriptor int // of own, to be sent; there if own is
	reserved   int
}

// make makes the memory, if it may be.
func (s *side) make(bytes int) (err error) {
	if err := s.reserve(bytes); err != nil {
		return err
	}
	s.own, s.descriptor, err = newMemory(s.RingBytes)
	return err
}

func (s *side) reserve(bytes int) error {
	if err := s.Rings.take(bytes); err != nil {
		return err
	}
	s.reserved += bytes
	return nil
}

// conn is the connection, which has the memory from then on.
func (s *side) conn(socket *net.UnixConn) (*Conn, error) {
	rings, bytes := s.Rings, s.reserved
	c, err := newConn(socket, s.own, s.peers, s.Options, func() { rings.give(bytes) })
	if err == nil {
		unix.Close(s.descriptor)
		*s = side{}
	}
	return c, err
}

// drop gives back what has become no connection.
func (s *side) drop() {
	if s.own != nil {
		unix.Close(s.descriptor)
	}
	s.own.unmap()
	s.peers.unmap()
	if s.reserved > 0 {
		s.Rings.give(s.reserved)
	}
}

// exchange does something with a socket until the context ends.
func (s *side) exchange(ctx context.Context, socket *net.UnixConn, do func(*net.UnixConn) error) error {
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		_ = socket.SetDeadline(time.Unix(1, 0))
	})
	err := do(socket)
	if !stop() {
		<-interrupted
		if err == nil || errors.As(err, new(net.Error)) {
			err = ctx.Err()
		}
	}
	if reset := socket.SetDeadline(time.Time{}); err == nil {
		err = reset
	}
	return err
}

// propose is the opener's part.
func (s *side) propose(socket *net.UnixConn) error {
	if err := send(socket, offer{ring: s.RingBytes}, s.descriptor); err != nil {
		return err
	}
	r, err := receive(socket)
	defer r.close()
	switch {
	case err != nil:
		return err
	case len(r.data) == 0:
		return io.ErrUnexpectedEOF
	case r.isFrame():
		return &Fallback{Reason: "the peer takes no memory: it is of an earlier release, or not at the place of a server", Again: true}
	}
	o, err := parseOffer(r.data, false)
	switch {
	case err != nil:
		return err
	case o.verdict == overSocket:
		return &Fallback{Reason: "the peer has no memory to give; its log says why"}
	case o.verdict == connectionRefused:
		return Refusal{}
	}
	if err := s.check(o, r); err != nil {
		return err
	}
	if err := s.take(o, r); err != nil {
		return &Fallback{Reason: err.Error(), Again: true}
	}
	return nil
}

// Refusal is the error of an opener whose peer has refused what it was offered.
type Refusal struct{}

func (Refusal) Error() string {
	return fmt.Sprintf("the peer refuses the memory that it was offered, as %v or %v; its log says why", session.ErrShmHandover, session.ErrShmMemory)
}

// answer is the acceptor's part.
func (s *side) answer(socket *net.UnixConn) error {
	r, err := receive(socket)
	defer r.close()
	if err != nil {
		return err
	}
	o, err := parseOffer(r.data, true)
	if err == nil {
		err = s.check(o, r)
	}
	if err != nil {
		_ = send(socket, offer{verdict: connectionRefused}, -1) // the connection is closed either way
		return err
	}
	if err = s.make(s.RingBytes); err == nil {
		err = s.take(o, r)
	}
	if err != nil {
		if failed := send(socket, offer{verdict: overSocket}, -1); failed != nil {
			return failed
		}
		return overItsSocket(err)
	}
	return send(socket, offer{ring: s.RingBytes}, s.descriptor)
}

// check refuses memory that can't be taken [MXP-18.4].
func (s *side) check(o offer, r arrival) error {
	switch {
	case r.cut:
		return unfit("more descriptors came than one, or than this program may have open")
	case r.came != 1:
		return unfit("%d descriptors came, and not one", r.came)
	}
	return checkMemory(r.descriptor, o.ring)
}

// take maps the peer's memory, if it may.
func (s *side) take(o offer, r arrival) (err error) {
	if err := s.reserve(o.ring); err != nil {
		return err
	}
	s.peers, err = mapMemory(r.descriptor, o.ring)
	return err
}

// isPlain waits for the first byte, and reports whether it is none of an Offer. The error of a
// peer that has sent none and gone is io.EOF.
func isPlain(socket *net.UnixConn) (plain bool, err error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return false, err
	}
	var first [1]byte
	var n int
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		n, _, failed = unix.Recvfrom(int(fd), first[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		return failed != unix.EAGAIN
	})
	switch {
	case err != nil:
		return false, err
	case failed != nil:
		return false, failed
	case n == 0:
		return false, io.EOF
	}
	return first[0] != offerMagic[0], nil
}

// send sends an Offer, with a descriptor beside its first byte if there is one.
func send(socket *net.UnixConn, o offer, descriptor int) error {
	var rights []byte
	if descriptor >= 0 {
		rights = unix.UnixRights(descriptor)
	}
	for data := o.bytes(); len(data) > 0; rights = nil {
		n, _, err := socket.WriteMsgUnix(data, rights, nil)
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// arrival is the received part of an Offer: to its end, or whole.
type arrival struct {
	data       []byte
	came       int  // descriptors
	descriptor int  // the first of them; others are closed at once
	cut        bool // the system has dropped descriptors
}

// isFrame reports whether it is no Offer, but of a peer that knows none.
func (r *arrival) isFrame() bool { return bytes.HasPrefix(r.data, frameStart) }

func (r *arrival) close() {
	if r.came > 0 {
		unix.Close(r.descriptor)
	}
}

// descriptorsRead is one more than may come: the system drops what is beyond.
const descriptorsRead = 2

// receive reads an Offer, and no byte more. The descriptor is the caller's also where there is an
// error.
func receive(socket *net.UnixConn) (r arrival, err error) {
	data, control := make([]byte, offerBytes), make([]byte, unix.CmsgSpace(4*descriptorsRead))
	for len(r.data) < offerBytes {
		n, controls, flags, _, err := socket.ReadMsgUnix(data[len(r.data):], control)
		r.data = data[:len(r.data)+max(n, 0)]
		r.cut = r.cut || flags&unix.MSG_CTRUNC != 0
		if taken := r.add(control[:controls]); taken != nil {
			return r, taken
		}
		switch {
		case errors.Is(err, io.EOF), err == nil && n == 0:
			return r, nil
		case err != nil:
			return r, err
		case r.isFrame():
			return r, nil
		}
	}
	return r, nil
}

// add takes the descriptors of a message.
func (r *arrival) add(control []byte) error {
	if len(control) == 0 {
		return nil
	}
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return unfit("what came beside it can't be read: %v", err)
	}
	for _, m := range messages {
		if m.Header.Level != unix.SOL_SOCKET || m.Header.Type != unix.SCM_RIGHTS {
			continue
		}
		descriptors, err := unix.ParseUnixRights(&m)
		if err != nil {
			return unfit("what came beside it can't be read: %v", err)
		}
		for _, one := range descriptors {
			if r.came++; r.came == 1 {
				r.descriptor = one
			} else {
				unix.Close(one)
			}
		}
	}
	return nil
}
