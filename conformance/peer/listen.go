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
	"strings"
	"time"
)

// listen makes the listener of an address.
func (a Address) listen() (net.Listener, error) {
	switch a.Scheme {
	case "unix", "shm":
		return net.Listen("unix", a.Place)
	}
	host, _, _ := strings.Cut(a.Place, "/")
	return net.Listen("tcp", host)
}

// accept opens a connection that a listener has given, up to where the frames of a session begin.
func (a Address) accept(conn net.Conn, secrets *tls.Config) (net.Conn, error) {
	conn.SetDeadline(time.Now().Add(patience))
	defer conn.SetDeadline(time.Time{})
	conn, err := a.secured(conn, secrets)
	switch {
	case err != nil:
		return nil, err
	case a.Scheme == "shm":
		return acceptShared(conn, ringBytes)
	case a.isWeb():
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

// secured speaks TLS on a connection that a listener has given, where the scheme has that.
func (a Address) secured(conn net.Conn, secrets *tls.Config) (net.Conn, error) {
	if !a.isSecure() {
		return conn, nil
	}
	secure := tls.Server(conn, secrets)
	return secure, secure.Handshake()
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
