package session_test

import (
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// BenchmarkReceive has a call that comes and is answered, and its answer that comes.
func BenchmarkReceive(b *testing.B) {
	opener, acceptor := echo, echo
	opener.Role, acceptor.Role = session.Opener, session.Acceptor
	here, there := session.New(opener, 1), session.New(acceptor, 1)
	var buffer []byte
	carry := func(from, to *session.Session) {
		buffer = buffer[:0]
		for f, ok := from.PollFrame(1); ok; f, ok = from.PollFrame(1) {
			buffer = append(append(append(buffer, f.Head...), f.Value...), f.Trailer...)
		}
		rest := buffer
		for in, ok := to.Receive(&rest, 1); ok; in, ok = to.Receive(&rest, 1) {
			if call, is := in.(*session.Call); is {
				if err := to.Respond(call.ID, nil, call.Value, 1); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	carry(here, there)
	carry(there, here)
	value := make([]byte, 64)
	for b.Loop() {
		if _, err := here.Call(session.Request{Method: 1}, value, 1); err != nil {
			b.Fatal(err)
		}
		carry(here, there)
		carry(there, here)
	}
}
