package peer

import (
	"bufio"
	"crypto/sha1"
	"crypto/tls"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// listen makes the listener of an address.
func (a Address) listen() (net.Listener, error) {
	switch a.Scheme {
	case "unix", "shm":
		return net.Listen("unix", a.Place)
	}
	return net.Listen("tcp", a.Place)
}

// accept opens a connection that a listener has given, up to where the frames of a session begin.
func (a Address) accept(conn net.Conn, secrets *tls.Config) (net.Conn, error) {
	conn.SetDeadline(time.Now().Add(patience))
	defer conn.SetDeadline(time.Time{})
	switch a.Scheme {
	case "shm":
		return acceptShared(conn, ringBytes)
	case "tls":
		secure := tls.Server(conn, secrets)
		return secure, secure.Handshake()
	case "ws":
		s := &socket{Conn: conn, from: bufio.NewReader(conn)}
		asked, err := http.ReadRequest(s.from)
		if err != nil {
			return nil, err
		}
		if offered := asked.Header.Get("Sec-WebSocket-Protocol"); offered != "mxp.1" {
			return nil, fmt.Errorf("it offers the subprotocol %q", offered)
		}
		_, err = io.WriteString(conn, switching(asked.Header.Get("Sec-WebSocket-Key"), "Sec-WebSocket-Protocol: mxp.1"))
		return s, err
	}
	return conn, nil
}

const offerBytes = 32

// offer is an Offer without memory beside it [MXP-18.3].
func offer(verdict byte) []byte {
	made := make([]byte, offerBytes)
	copy(made, "MXPS\x01")
	made[5] = verdict
	return made
}

// offering is an Offer of memory with a ring of so many bytes.
func offering(ring int) []byte {
	made := offer(0)
	binary.LittleEndian.PutUint64(made[8:], uint64(ring))
	return made
}

// switching is the answer that opens a WebSocket.
func switching(key string, lines ...string) string {
	text := "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + acceptance(key) + "\r\n"
	for _, line := range lines {
		text += line + "\r\n"
	}
	return text + "\r\n"
}

// acceptance is the answer to a key of a handshake, by RFC 6455, section 4.2.2.
func acceptance(key string) string {
	hash := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(hash[:])
}
