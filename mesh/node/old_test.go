package node_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A program of 0.3 says of an agent its name, its capabilities and its lease, and nothing else.
func TestAnOldProgramRegistersAndDiscovers(t *testing.T) {
	n := start(t)
	conn, err := net.Dial("unix", strings.TrimPrefix(n.at, "mxp+unix://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(30 * time.Second))
	opener := session.New(session.Config{Role: session.Opener}, 0)
	for out, ok := opener.PollFrame(0); ok; out, ok = opener.PollFrame(0) {
		conn.Write(append(append(append([]byte{}, out.Head...), out.Value...), out.Trailer...))
	}
	reader := frame.NewReader(frame.Options{})
	var piece []byte
	answer := func(id uint64) frame.Frame {
		t.Helper()
		for {
			if f, ok, err := reader.Next(&piece); err != nil {
				t.Fatal(err)
			} else if ok {
				if f.MessageID == id && id != 0 || id == 0 && f.Type == frame.Hello {
					return f
				}
				continue
			}
			buffer := make([]byte, 4096)
			n, err := conn.Read(buffer)
			if err != nil {
				t.Fatal(err)
			}
			piece = buffer[:n]
		}
	}
	answer(0)
	ask := func(kind frame.Type, id uint64, payload string) frame.Frame {
		t.Helper()
		f := frame.Frame{Header: frame.Header{Type: kind, MessageID: id}, Payload: []byte(payload)}
		bytes, err := f.Append(nil, frame.ChecksumOn)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(bytes); err != nil {
			t.Fatal(err)
		}
		return answer(id)
	}
	lease := "\x80\xc3\xc9\x01\x00\x00\x00\x00" // 30 s
	if f := ask(frame.AgentRegister, 1, "\x03old\x01\x03mix"+lease); f.Type != frame.Response {
		t.Fatalf("it is answered by %v: %q", f.Type, f.Payload)
	}
	if f := ask(frame.AgentHeartbeat, 3, "\x03old"); f.Type != frame.Response {
		t.Errorf("its heartbeat is answered by %v: %q", f.Type, f.Payload)
	}
	if f := ask(frame.AgentDiscover, 5, "\x03mix"); f.Type != frame.Response || !strings.Contains(string(f.Payload), "\x03old\x01\x03mix") {
		t.Errorf("its question is answered by %v: %q", f.Type, f.Payload)
	}
	found, err := dial(t, n).DiscoverBy(soon(t), &session.Query{Name: "old"})
	if err != nil || len(found.Agents) != 1 || found.Agents[0].Epoch == 0 || len(found.Agents[0].Addresses) != 0 {
		t.Errorf("others find %+v, %v", found, err)
	}
}
