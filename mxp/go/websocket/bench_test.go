package websocket_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	library "github.com/coder/websocket"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// A call of 64 bytes, beside a message of the library's that is sent back.
func BenchmarkCall(b *testing.B) {
	server := mxp.NewServer(mxp.ServerOptions{Services: echo()})
	listener, err := server.Listen("mxp+ws://127.0.0.1:0/")
	if err != nil {
		b.Fatal(err)
	}
	go server.Serve(listener)
	defer server.Close()
	client, err := mxp.Dial("mxp+ws://"+listener.Addr().String(), mxp.ClientOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	value := make([]byte, 64)
	for b.Loop() {
		if _, err := client.Call(b.Context(), "demo.Echo", 1, value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEcho(b *testing.B) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := library.Accept(w, r, &library.AcceptOptions{CompressionMode: library.CompressionDisabled})
		for err == nil {
			var kind library.MessageType
			var value []byte
			if kind, value, err = c.Read(r.Context()); err == nil {
				err = c.Write(r.Context(), kind, value)
			}
		}
	}))
	defer web.Close()
	c, _, err := library.Dial(b.Context(), "ws"+strings.TrimPrefix(web.URL, "http"), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer c.CloseNow()
	value := make([]byte, 64)
	for b.Loop() {
		if err := c.Write(b.Context(), library.MessageBinary, value); err != nil {
			b.Fatal(err)
		}
		if _, _, err := c.Read(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
