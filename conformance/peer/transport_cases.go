package peer

import (
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

var webSocket = []string{"ws", "wss"}

const asksMXP = "Sec-WebSocket-Protocol: mxp.1"

// refusal is a handshake that is refused with a status.
type refusal struct {
	status, what string
	lines        []string
}

func (r refusal) String() string { return r.what }

// socketCases are about WebSockets [MXP-19].
var socketCases = over(webSocket, slices.Concat(
	each("websocket: the handshake is refused: %s", "MXP-19.2, MXP-19.5", []refusal{
		{"400", "no subprotocol", nil},
		{"400", "another subprotocol", []string{"Sec-WebSocket-Protocol: chat"}},
		{"403", "a page of another host", []string{asksMXP, "Origin: http://evil.example"}},
		{"403", "the Origin is null", []string{asksMXP, "Origin: null"}},
		{"403", "two Origins", []string{asksMXP, "Origin: http://localhost", "Origin: http://evil.example"}},
		{"403", "the Origin has a path", []string{asksMXP, "Origin: http://localhost/page"}},
		{"400", "a second key", []string{asksMXP, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="}},
		{"400", "a body", []string{asksMXP, "Content-Length: 1"}},
	}, func(s *Server, r refusal) { s.answers(r.status, handshake(s.host(), s.path(), r.lines...)) }),
	only("websocket: the handshake is for another host", "MXP-19.5", func(s *Server) {
		s.answers("403", handshake("evil.example", s.path(), asksMXP))
	}),
	only("websocket: the page is of localhost", "MXP-19.5", func(s *Server) {
		s.answers("101", handshake(s.host(), s.path(), asksMXP, "Origin: http://localhost:5173"))
	}),
	only("websocket: a text message", "MXP-19.3", func(s *Server) { s.closes(1003, wsFin|wsText, []byte("hello")) }),
	each("websocket: a frame begins with %02x, whose reserved bits are not 0", "MXP-19.3", []byte{0xc2, 0xa2, 0x92}, func(s *Server, first byte) { s.closes(1002, first, []byte("x")) }),
	each("websocket: the opcode of a frame is none: %02x", "MXP-19.3", []byte{0x83, 0x87, 0x8b, 0x8f}, func(s *Server, first byte) { s.closes(1002, first, []byte("x")) }),
	only("websocket: a message goes on that has not begun", "MXP-19.3", func(s *Server) { s.closes(1002, wsFin|wsContinuation, []byte("x")) }),
	only("websocket: a message begins inside another", "MXP-19.3", func(s *Server) {
		p := s.ready()
		w := p.conn.(*socket)
		w.frame(wsBinary, Frame{Type: ping, ID: 1}.bytes()[:10])
		p.codeAfter(1002, wsFin|wsBinary, []byte("x"))
	}),
	only("websocket: a Ping has more than 125 bytes", "MXP-19.3", func(s *Server) { s.closes(1002, wsFin|wsPing, make([]byte, 126)) }),
	only("websocket: a Ping is cut in two", "MXP-19.3", func(s *Server) { s.closes(1002, wsPing, []byte("x")) }),
	only("websocket: a Close of one byte", "MXP-19.3", func(s *Server) { s.closes(1002, wsFin|wsClose, []byte{3}) }),
	only("websocket: a frame without a mask", "MXP-19.3", func(s *Server) {
		p := s.ready()
		w := p.conn.(*socket)
		w.opener = false
		w.frame(wsFin|wsBinary, []byte("x"))
		w.opener = true
		p.code(1002)
	}),
	only("websocket: a length of more than 63 bits, and bytes that are no frame of a session", "MXP-19.3", func(s *Server) {
		p := s.ready()
		w := p.conn.(*socket)
		w.Conn.Write(binary.BigEndian.AppendUint64([]byte{wsFin | wsBinary, 0x80 | 127}, 1<<63))
		w.Conn.Write(make([]byte, 8))
		p.lost(parting)
	}),
	only("websocket: a Ping between the frames of a message", "MXP-19.3", func(s *Server) {
		p := s.ready()
		w := p.conn.(*socket)
		f := p.calling(echoMethod, "in two")
		all := f.bytes()
		w.frame(wsBinary, all[:40])
		w.frame(wsFin|wsPing, []byte("?"))
		w.frame(wsFin|wsContinuation, all[40:])
		p.answered(f.ID, "in two")
	}),
	only("websocket: empty messages, and empty frames of one", "MXP-19.3", func(s *Server) {
		p := s.ready()
		w := p.conn.(*socket)
		f := p.calling(echoMethod, "x")
		for _, first := range []byte{wsFin | wsBinary, wsFin | wsBinary, wsBinary, wsContinuation, wsContinuation} {
			w.frame(first, nil)
		}
		w.frame(wsFin|wsContinuation, f.bytes())
		p.answered(f.ID, "x")
	}),
	only("websocket: a message has the beginning of a call of which more comes late", "MXP-19.3", func(s *Server) {
		p := s.ready()
		w := p.conn.(*socket)
		f := p.calling(echoMethod, "x")
		w.lying(wsFin|wsBinary, f.bytes(), 1<<20) // of a message of 1 MiB the rest never comes
		p.answered(f.ID, "x")
	}),
	only("websocket: a call, and Close, in one piece", "MXP-19.4", func(s *Server) {
		p := s.ready()
		f := p.calling(echoMethod, "before")
		w := p.conn.(*socket)
		w.frame(wsFin|wsBinary, f.bytes())
		p.halfClose()
		p.answered(f.ID, "before")
		p.code(1000)
	}),
	only("websocket: Drain ends with Close", "MXP-19.4", func(s *Server) {
		p := s.ready()
		p.send(Frame{Type: drain, Payload: farewell("bye")})
		p.drained("bye", 0)
		p.code(1000)
	}),
	only("websocket: the socket ends without Close", "MXP-19.3", func(s *Server) {
		p := s.ready()
		w := p.conn.(*socket)
		w.Conn.(interface{ CloseWrite() error }).CloseWrite()
		began := time.Now()
		p.lost(parting)
		if took := time.Since(began); took > 2*time.Second {
			fail("it finds out after %s", took)
		}
	}),
))

func (s *Server) host() string { host, _, _ := strings.Cut(s.at.Place, "/"); return host }

func (s *Server) path() string { _, path, _ := strings.Cut(s.at.Place, "/"); return "/" + path }

// answers fails unless a request is answered with a status.
func (s *Server) answers(status, request string) {
	conn, err := s.at.channel(s.roots)
	if err != nil {
		fail("it can't be connected to: %v", err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	io.WriteString(conn, request)
	line := make([]byte, len("HTTP/1.1 400"))
	if _, err := io.ReadFull(conn, line); err != nil || string(line) != "HTTP/1.1 "+status {
		fail("the answer is %q (%v), and not %s", line, err, status)
	}
}

// closes fails unless a frame of the WebSocket ends it with a code.
func (s *Server) closes(code int, first byte, payload []byte) {
	s.ready().codeAfter(code, first, payload)
}

func (p *Peer) codeAfter(code int, first byte, payload []byte) {
	p.conn.(*socket).frame(first, payload)
	p.code(code)
}

// code fails unless the WebSocket ends with a code.
func (p *Peer) code(code int) {
	p.lost(parting)
	if got := p.conn.(*socket).code; got != code {
		fail("the WebSocket ends with the code %s, and not %d", codeName(got), code)
	}
}

func codeName(code int) string {
	if code == 0 {
		return "of none"
	}
	return strconv.Itoa(code)
}
