package tap

import (
	"io"
	"net"
)

const (
	// offerStart is the first bytes of a client that offers shared memory [MXP-18.3].
	offerStart = "MXPS"
	// offerBytes is what that has in all.
	offerBytes = 32
)

// socketAnswer lets the connection go on over its socket, where a tap can see it [MXP-18.5].
var socketAnswer = append([]byte(offerStart+"\x01\x01"), make([]byte, offerBytes-6)...)

// socketOnly is the connection of a client to a socket. If that offers shared memory, which
// nobody between the two could watch, it is answered that there is none.
type socketOnly struct {
	net.Conn
	declined func() // is told of an offer
	begun    bool
	held     []byte // was read while it was not known what comes
}

// Read gives the received bytes without an offer.
func (c *socketOnly) Read(p []byte) (int, error) {
	if !c.begun {
		c.begun = true
		if err := c.begin(); err != nil {
			return 0, err
		}
	}
	if len(c.held) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.held)
	c.held = c.held[n:]
	return n, nil
}

// begin finds out what the client begins with. An error comes again when what there is was read.
func (c *socketOnly) begin() error {
	first := make([]byte, offerBytes)
	n, err := c.Conn.Read(first[:1])
	if n == 0 || first[0] != offerStart[0] {
		c.held = first[:n]
		return err
	}
	rest, err := io.ReadFull(c.Conn, first[n:])
	if err != nil || string(first[:len(offerStart)]) != offerStart {
		c.held = first[:n+rest]
		return nil
	}
	c.declined()
	_, err = c.Conn.Write(socketAnswer)
	return err
}
