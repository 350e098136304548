package peer

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// The opcodes of a WebSocket's frames.
const (
	wsContinuation = 0
	wsText         = 1
	wsBinary       = 2
	wsClose        = 8
	wsPing         = 9
	wsPong         = 10
	wsFin          = 0x80
	wsNormal       = 1000
)

// socket is a WebSocket whose frames a case can write by itself. Reading gives the payloads of
// binary messages; a Close is the end.
type socket struct {
	net.Conn
	from   *bufio.Reader
	opener bool
	left   uint64
	closed bool
	code   int // of the Close that has come
}

// handshake is a request that opens a WebSocket.
func handshake(host, path string, more ...string) string {
	lines := []string{
		"GET " + path + " HTTP/1.1", "Host: " + host, "Upgrade: websocket", "Connection: Upgrade",
		"Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
	}
	return strings.Join(append(lines, more...), "\r\n") + "\r\n\r\n"
}

func openSocket(conn net.Conn, host, path string) (net.Conn, error) {
	if _, err := io.WriteString(conn, handshake(host, path, "Sec-WebSocket-Protocol: mxp.1")); err != nil {
		return nil, err
	}
	from := bufio.NewReader(conn)
	answer, err := http.ReadResponse(from, nil)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusSwitchingProtocols || answer.Header.Get("Sec-WebSocket-Protocol") != "mxp.1" {
		return nil, fmt.Errorf("the handshake is answered with %s", answer.Status)
	}
	return &socket{Conn: conn, from: from, opener: true}, nil
}

// frame writes a frame of the WebSocket: its first byte, and a payload.
func (s *socket) frame(first byte, payload []byte) error {
	return s.lying(first, payload, len(payload))
}

// lying writes a frame whose head tells of another length.
func (s *socket) lying(first byte, payload []byte, length int) error {
	made := append(make([]byte, 0, 14+len(payload)), first, 0)
	switch {
	case length < 126:
		made[1] = byte(length)
	case length < 1<<16:
		made[1] = 126
		made = binary.BigEndian.AppendUint16(made, uint16(length))
	default:
		made[1] = 127
		made = binary.BigEndian.AppendUint64(made, uint64(length))
	}
	if !s.opener {
		_, err := s.Conn.Write(append(made, payload...))
		return err
	}
	made[1] |= 0x80
	var mask [4]byte
	rand.Read(mask[:])
	made = append(made, mask[:]...)
	for i, b := range payload {
		made = append(made, b^mask[i%4])
	}
	_, err := s.Conn.Write(made)
	return err
}

func (s *socket) Write(data []byte) (int, error) { return len(data), s.frame(wsFin|wsBinary, data) }

// CloseWrite says that nothing more comes.
func (s *socket) CloseWrite() error {
	return s.frame(wsFin|wsClose, binary.BigEndian.AppendUint16(nil, wsNormal))
}

// Read gives what binary messages have. A deadline may pass inside a head only where the peer stops there.
func (s *socket) Read(to []byte) (int, error) {
	for s.left == 0 {
		if s.closed {
			return 0, io.EOF
		}
		head, err := s.from.Peek(2)
		if err != nil {
			return 0, err
		}
		first, length, used := head[0], uint64(head[1]&0x7f), 2
		masked := head[1]&0x80 != 0
		switch length {
		case 126:
			used = 4
		case 127:
			used = 10
		}
		if head, err = s.from.Peek(used); err != nil {
			return 0, err
		}
		switch used {
		case 4:
			length = uint64(binary.BigEndian.Uint16(head[2:]))
		case 10:
			length = binary.BigEndian.Uint64(head[2:])
		}
		if masked == s.opener {
			fail("a frame of its WebSocket is masked, or is not, as it must not be")
		}
		kind := first & 0xf
		if kind >= wsClose {
			if err := s.control(kind, used, int(length), masked); err != nil {
				return 0, err
			}
			continue
		}
		if kind == wsText || first&0x70 != 0 {
			fail("its WebSocket has a frame that begins with %02x", first)
		}
		s.from.Discard(used)
		s.left = length
		if masked {
			if err := s.unmask(); err != nil {
				return 0, err
			}
		}
	}
	n, err := s.from.Read(to[:min(uint64(len(to)), s.left)])
	s.left -= uint64(n)
	return n, err
}

// unmask takes the payload of a frame, and puts it back as it was meant.
func (s *socket) unmask() error {
	data := make([]byte, 4+s.left)
	if _, err := io.ReadFull(s.from, data); err != nil {
		return err
	}
	for i := range data[4:] {
		data[4+i] ^= data[i%4]
	}
	s.from = bufio.NewReader(io.MultiReader(strings.NewReader(string(data[4:])), s.from))
	return nil
}

// control takes a frame that is no message's.
func (s *socket) control(kind byte, used, length int, masked bool) error {
	all := used + length
	if masked {
		all += 4
	}
	whole, err := s.from.Peek(all)
	if err != nil {
		return err
	}
	body := append([]byte(nil), whole[all-length:]...)
	if masked {
		for i := range body {
			body[i] ^= whole[used+i%4]
		}
	}
	s.from.Discard(all)
	switch kind {
	case wsPing:
		return s.frame(wsFin|wsPong, body)
	case wsClose:
		s.closed = true
		if len(body) >= 2 {
			s.code = int(binary.BigEndian.Uint16(body))
		}
		s.CloseWrite()
		if !s.opener {
			s.Conn.Close() // servers do so first, by RFC 6455, section 7.1.1
		}
	}
	return nil
}
