package websocket_test

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	library "github.com/coder/websocket"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
	"github.com/serial-data-protocol/sdp/mxp/go/websocket"
)

const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

// raw is a peer that writes its own bytes.
type raw struct {
	t *testing.T
	net.Conn
	in *bufio.Reader
	s  *session.Session

	code int // of a Close that has come
}

// ask sends a handshake with further lines of a head, and returns the status of the answer.
func ask(t *testing.T, at, lines, behind string) (*raw, int) {
	t.Helper()
	host, _, _ := strings.Cut(strings.TrimPrefix(at, "mxp+ws://"), "/")
	return shake(t, at, header("Host", host)+header("Sec-WebSocket-Protocol", "mxp.1")+lines, behind)
}

// shake sends a handshake with all lines of a head that say something.
func shake(t *testing.T, at, lines, behind string) (*raw, int) {
	t.Helper()
	place := strings.TrimPrefix(at, "mxp+ws://")
	host, path, _ := strings.Cut(place, "/")
	network, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { network.Close() })
	network.SetDeadline(time.Now().Add(4 * time.Second))
	io.WriteString(network, "GET /"+path+" HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+lines+"\r\n"+behind)
	r := &raw{t: t, Conn: network, in: bufio.NewReader(network), s: session.New(session.Config{}, 0)}
	answer, err := http.ReadResponse(r.in, nil)
	if err != nil {
		t.Fatalf("%q: %v", lines, err)
	}
	if answer.StatusCode != http.StatusSwitchingProtocols {
		io.Copy(io.Discard, answer.Body)
	}
	return r, answer.StatusCode
}

// message is the beginning of a binary message of so many bytes.
func message(size int, payload []byte) []byte {
	head := []byte{0x82, 0x80 | 127}
	head = binary.BigEndian.AppendUint64(head, uint64(size))
	return append(append(head, 0, 0, 0, 0), payload...)
}

// polled is the bytes that the session has to send.
func (r *raw) polled() (all []byte) {
	for f, ok := r.s.PollFrame(0); ok; f, ok = r.s.PollFrame(0) {
		all = append(append(append(all, f.Head...), f.Value...), f.Trailer...)
	}
	return all
}

// next reads a frame, and gives the last thing that the session has made of it.
func (r *raw) next() (in session.Incoming, opcode byte) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(r.in, head); err != nil {
		r.t.Fatal(err)
	}
	length := int(head[1])
	if length == 126 {
		more := make([]byte, 2)
		io.ReadFull(r.in, more)
		length = int(binary.BigEndian.Uint16(more))
	}
	payload := make([]byte, length)
	io.ReadFull(r.in, payload)
	if head[0]&15 == 2 {
		for one, ok := r.s.Receive(&payload, 0); ok; one, ok = r.s.Receive(&payload, 0) {
			in = one
		}
	}
	if head[0]&15 == 8 && length >= 2 {
		r.code = int(binary.BigEndian.Uint16(payload))
	}
	return in, head[0] & 15
}

// greeted is a peer whose session is ready.
func greeted(t *testing.T, at string) *raw {
	t.Helper()
	r, status := ask(t, at, key, "")
	if status != http.StatusSwitchingProtocols {
		t.Fatal(status)
	}
	hello := r.polled()
	r.Write(message(len(hello), hello))
	for !r.s.Ready() {
		r.next()
	}
	return r
}

// Where a peer ends without a Close, its connection ends at once.
func TestEndOfFileEndsTheConnection(t *testing.T) {
	server, at := serve(t, "mxp+ws://127.0.0.1:0/", mxp.ServerOptions{})
	for _, begun := range [][]byte{nil, {0x82}, message(10, []byte("ab")), {0x02, 0x81, 0, 0, 0, 0, 'x'}} {
		r := greeted(t, at)
		if len(begun) > 0 {
			r.Write(begun)
			time.Sleep(20 * time.Millisecond)
		}
		r.Conn.(*net.TCPConn).CloseWrite()
		if _, err := io.Copy(io.Discard, r.in); err != nil {
			t.Errorf("behind %x: %v", begun, err)
		}
	}
	for end := time.Now().Add(2 * time.Second); server.Stats().HeldBytes > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("connections are held")
		}
	}
}

// [MXP-19.3]
func TestFramesThatCanBeNoneEndTheConnection(t *testing.T) {
	_, at := serve(t, "mxp+ws://127.0.0.1:0/", mxp.ServerOptions{})
	for _, bad := range [][]byte{
		// Without a mask, with a bit of an extension, of no kind, too long, and out of turn.
		{0x82, 1, 0},
		{0xC2, 0x81, 0, 0, 0, 0, 0},
		{0x83, 0x81, 0, 0, 0, 0, 0},
		{0x89, 0xFE, 0, 126, 0, 0, 0, 0},
		{0x80, 0x81, 0, 0, 0, 0, 0},
		{0x02, 0x80, 0, 0, 0, 0, 0x82, 0x80, 0, 0, 0, 0},
	} {
		r := greeted(t, at)
		r.Write(bad)
		for r.code == 0 {
			r.next()
		}
		if r.code != int(library.StatusProtocolError) {
			t.Errorf("%x is answered with %d", bad, r.code)
		}
	}
}

// [MXP-19.3]
func TestWhatHasComeOfAMessageIsTaken(t *testing.T) {
	_, at := serve(t, "mxp+ws://127.0.0.1:0/", mxp.ServerOptions{})
	for _, first := range []int{1, 40, 1000} {
		r := greeted(t, at)
		r.s.Call(session.Request{Method: 1}, bytes.Repeat([]byte("x"), first), 0)
		r.Write(message(1<<20, r.polled()))
		in, _ := r.next()
		if answer, ok := in.(*session.Response); !ok || len(answer.Value) != first {
			t.Errorf("a Call of %d bytes is answered with %v", first, in)
		}
	}
}

// endless answers calls within one message that does not end.
func endless(w http.ResponseWriter, r *http.Request) {
	network, both, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer network.Close()
	hash := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	io.WriteString(network, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: mxp.1\r\nSec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(hash[:])+"\r\n\r\n")
	network.Write([]byte{0x82, 127, 0, 0, 0, 0, 0, 16, 0, 0})
	here := session.New(session.Config{Role: session.Acceptor, Services: []string{"demo.Echo"}}, 0)
	for {
		for f, ok := here.PollFrame(0); ok; f, ok = here.PollFrame(0) {
			network.Write(bytes.Join([][]byte{f.Head, f.Value, f.Trailer}, nil))
		}
		head := make([]byte, 2) // of short frames alone
		if _, err := io.ReadFull(both, head); err != nil {
			return
		}
		frame := make([]byte, 4+int(head[1]&127))
		io.ReadFull(both, frame)
		piece := frame[4:]
		for i := range piece {
			piece[i] ^= frame[i%4]
		}
		for in, ok := here.Receive(&piece, 0); ok; in, ok = here.Receive(&piece, 0) {
			if call, is := in.(*session.Call); is {
				here.Respond(call.ID, nil, []byte("pong"), 0)
			}
		}
	}
}

// A client takes of a message what has come, too.
func TestWhatHasComeOfAnAnswerIsTaken(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(endless))
	t.Cleanup(web.Close)
	client := dial(t, "mxp+ws"+strings.TrimPrefix(web.URL, "http")+"/", mxp.ClientOptions{})
	reply, err := client.Call(soon(t), "demo.Echo", 1, nil)
	if err != nil || string(reply.Value) != "pong" {
		t.Errorf("%q, %v", reply.Value, err)
	}
}

// The first refusal of each origin is told, of so many.
func TestRefusedOriginsAreLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	_, at := serve(t, "mxp+ws://127.0.0.1:0/", mxp.ServerOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for range 3 {
		for _, origin := range []string{"https://studio.example", "https://other.example"} {
			ask(t, at, key+"Origin: "+origin+"\r\n", "")
		}
	}
	for _, origin := range []string{"https://studio.example", "https://other.example"} {
		if n := strings.Count(log.String(), "origin="+origin); n != 1 {
			t.Errorf("%s is told %d times", origin, n)
		}
	}
	if !strings.Contains(log.String(), "Options.Origins") {
		t.Error("nobody says how it is let in")
	}
}

func TestHostsHaveNoPorts(t *testing.T) {
	for _, host := range []string{"studio.example:443", "[::1]", ""} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is taken", host)
				}
			}()
			websocket.NewListener("ws", websocket.Options{Hosts: []string{host}})
		}()
	}
	websocket.NewListener("ws", websocket.Options{Hosts: []string{"studio.example", "fe80::1"}})
}
