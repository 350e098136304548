package peer

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

func numberText(n uint64) string { return strconv.FormatUint(n, 10) }

func begins(line, text string) bool { return strings.HasPrefix(line, text) }

// answer is how a server answers the handshake of a WebSocket.
type answer struct {
	what string
	text func(key string) string
}

func (a answer) String() string { return a.what }

func fixed(text string) func(string) string { return func(string) string { return text } }

// clientSocketCases are about WebSockets [MXP-19].
var clientSocketCases = over(webSocket, slices.Concat(
	playsEach("websocket: the handshake is answered by %s", "MXP-19.2", []answer{
		{"403", fixed("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")},
		{"200", fixed("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")},
		{"301, to another place", fixed("HTTP/1.1 301 Moved\r\nLocation: ws://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")},
		{"101 without a subprotocol", func(key string) string { return switching(key) }},
		{"101 with another subprotocol", func(key string) string { return switching(key, "Sec-WebSocket-Protocol: chat") }},
		{"101 with a wrong key", func(string) string {
			return switching("dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: mxp.1")
		}},
		{"101 with an extension that nobody asked for", func(key string) string {
			return switching(key, "Sec-WebSocket-Protocol: mxp.1", "Sec-WebSocket-Extensions: permessage-deflate")
		}},
		{"what is no HTTP", fixed("SSH-2.0-OpenSSH_9.2\r\n\r\n")},
	}, func(c *Client, a answer) {
		c.does("call 1 x 2500")
		conn := c.channel()
		defer conn.Close()
		asked := c.asks(conn)
		io.WriteString(conn, a.text(asked.Header.Get("Sec-WebSocket-Key")))
		if line := c.result(); !begins(line, "failed ") || !strings.Contains(line, " refused ") || begins(line, "failed session_lost ") {
			fail("the client says %q", line)
		}
	}),
	plays("websocket: the answer to the handshake does not end", "MXP-14.2", func(c *Client) {
		c.does("call 1 x 2500")
		conn := c.channel()
		defer conn.Close()
		c.asks(conn)
		io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\n")
		sent := 0
		for line := []byte("X-Filler: " + repeated("x", 1000) + "\r\n"); sent < 64<<20; sent += len(line) {
			conn.SetWriteDeadline(time.Now().Add(patience))
			if _, err := conn.Write(line); err != nil {
				break
			}
		}
		if sent >= 64<<20 {
			fail("it takes %d bytes of it", sent)
		}
	}),
	plays("websocket: the handshake asks as it has to", "MXP-19.2", func(c *Client) {
		c.does("call 1 x 2500")
		conn := c.channel()
		defer conn.Close()
		asked := c.asks(conn)
		for name, want := range map[string]string{"Upgrade": "websocket", "Connection": "upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Protocol": "mxp.1"} {
			if got := asked.Header.Get(name); !strings.EqualFold(got, want) {
				fail("its %s is %q, and not %q", name, got, want)
			}
		}
		if asked.Method != "GET" || asked.Host != c.host() || asked.URL.Path != "/" {
			fail("it asks %s of %s of %s, and not GET of / of %s", asked.Method, asked.URL, asked.Host, c.host())
		}
	}),
	plays("websocket: the answer to the handshake comes in three pieces", "MXP-19.2", func(c *Client) {
		c.does("call 1 works 18000")
		conn := c.channel()
		asked := c.asks(conn)
		text := switching(asked.Header.Get("Sec-WebSocket-Key"), "Sec-WebSocket-Protocol: mxp.1")
		for _, piece := range []string{text[:20], text[20:90], text[90:]} {
			io.WriteString(conn, piece)
			time.Sleep(20 * time.Millisecond)
		}
		p := newPeer(&socket{Conn: conn, from: bufio.NewReader(conn)}, c.at.Scheme, false)
		c.peers = append(c.peers, p)
		c.works(p.greet(greeting(0, demoService)))
	}),
	playsEach("websocket: a frame begins with %02x, which ends it with 1002", "MXP-19.3", []byte{0xc2, 0xa2, 0x92, 0x83, 0x8b, 0x80, 0x09}, func(c *Client, first byte) {
		c.closesFor(1002, func(s *socket) { s.frame(first, []byte("x")) })
	}),
	plays("websocket: a text message", "MXP-19.3", func(c *Client) {
		c.closesFor(1003, func(s *socket) { s.frame(wsFin|wsText, []byte("hello")) })
	}),
	plays("websocket: a frame has a mask", "MXP-19.3", func(c *Client) {
		c.closesFor(1002, func(s *socket) { s.Conn.Write([]byte{wsFin | wsBinary, 0x81, 1, 2, 3, 4, 'x' ^ 1}) })
	}),
	plays("websocket: a Ping is answered, between the frames of an answer", "MXP-19.3", func(c *Client) {
		c.does("call 1 x 6000")
		p := c.ready()
		w := p.conn.(*socket)
		all := answering(p.called().ID, "in two").bytes()
		w.frame(wsBinary, all[:40])
		w.frame(wsFin|wsPing, []byte("?"))
		w.frame(wsFin|wsContinuation, all[40:])
		c.answered("in two")
	}),
	plays("websocket: empty messages, and empty frames of one", "MXP-19.3", func(c *Client) {
		c.does("call 1 x 6000")
		p := c.ready()
		w := p.conn.(*socket)
		all := answering(p.called().ID, "x").bytes()
		for _, first := range []byte{wsFin | wsBinary, wsFin | wsBinary, wsBinary, wsContinuation, wsContinuation} {
			w.frame(first, nil)
		}
		w.frame(wsFin|wsContinuation, all)
		c.answered("x")
	}),
	plays("websocket: an answer, and Close, in one piece", "MXP-19.4", func(c *Client) {
		c.does("call 1 x 6000", "wait 500", "call 1 works 18000")
		p := c.ready()
		p.send(answering(p.called().ID, "last"))
		p.halfClose()
		c.answered("last")
		p.lost(parting)
		c.works(c.ready())
	}),
	playsEach("websocket: Close has the code %d, and the client connects again", "MXP-14.3", []uint16{1001, 1011, 1012, 1013}, func(c *Client, code uint16) {
		c.does("call 1 x 6000", "call 1 works 18000")
		p := c.ready()
		p.called()
		p.conn.(*socket).frame(wsFin|wsClose, binary.BigEndian.AppendUint16(nil, code))
		p.lost(parting)
		c.fails("session_lost", "acted")
		c.works(c.ready())
	}),
	plays("websocket: the socket ends without Close", "MXP-19.3", func(c *Client) {
		c.does("call 1 x 6000", "call 1 works 18000")
		p := c.ready()
		p.called()
		p.conn.(*socket).Conn.Close()
		c.fails("session_lost", "acted")
		c.works(c.ready())
	}),
))

func (c *Client) host() string { host, _, _ := strings.Cut(c.at.Place, "/"); return host }

// asks is the handshake of a connection.
func (c *Client) asks(conn net.Conn) *http.Request {
	conn.SetReadDeadline(time.Now().Add(patience))
	asked, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		fail("its handshake is none: %v", err)
	}
	return asked
}

// closesFor fails unless a frame of the WebSocket ends it with a code; the call after it has
// another connection.
func (c *Client) closesFor(code int, bad func(*socket)) {
	c.does("call 1 first 6000", "call 1 works 18000")
	p := c.ready()
	p.called()
	bad(p.conn.(*socket))
	p.code(code)
	if line := c.result(); !begins(line, "failed ") || !strings.Contains(line, " acted ") {
		fail("the client says %q", line)
	}
	c.works(c.ready())
}

// secure are the transports that speak TLS.
var secure = []string{"tls", "wss"}

// clientSecureCases are about connections that are no TLS where the other side awaits it, or are of
// another server [MXP-14.2].
var clientSecureCases = slices.Concat(
	over(secure, plays("tls: what answers speaks none", "MXP-14.2", func(c *Client) {
		c.does("call 1 x 4000")
		conn := c.socket()
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
		c.soon()
	})),
	over(secure, plays("tls: the certificate is of another name", "MXP-14.2", func(c *Client) {
		c.at.Place = strings.Replace(c.at.Place, "127.0.0.1", "127.0.0.2", 1)
		c.rebind()
		c.does("call 1 x 4000")
		conn := c.socket()
		defer conn.Close()
		c.at.accept(conn, c.program.secrets)
		go io.Copy(io.Discard, conn)
		c.soon()
	})),
	over(secure, plays("tls: the client shows no certificate, and learns behind its handshake that it has to", "MXP-14.2", func(c *Client) {
		c.does("call 1 x 4000")
		strict := c.program.secrets.Clone()
		strict.ClientAuth = tls.RequireAnyClientCert
		conn := c.socket()
		defer conn.Close()
		c.at.accept(conn, strict)
		c.soon()
	})),
	over(secure, plays("tls: the handshake is cut, and the next works", "MXP-14.3", func(c *Client) {
		c.does("call 1 works 18000")
		c.socket().Close()
		c.works(c.ready())
	})),
	over([]string{"tcp"}, plays("tcp: what answers speaks TLS", "MXP-14.2", func(c *Client) {
		c.does("call 1 x 4000")
		conn := c.socket()
		defer conn.Close()
		conn.Write([]byte{0x15, 3, 3, 0, 2, 2, 10}) // an alert, as servers answer what is no TLS
		c.soon()
	})),
)

// soon fails unless the client's call fails at once, and nobody has acted.
func (c *Client) soon() {
	began := time.Now()
	line := c.result()
	if took := time.Since(began); !begins(line, "failed ") || !strings.Contains(line, " refused ") || took > 2*time.Second {
		fail("after %s the client says %q", took, line)
	}
}

// rebind listens anew, at the address as it is now.
func (c *Client) rebind() {
	c.listener.Close()
	listener, err := c.at.listen()
	if err != nil {
		fail("nobody can listen there: %v", err)
	}
	c.listener = listener
}
