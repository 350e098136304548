// Command web serves what bench/ts/web.mjs calls, and the page that does so in a browser: an echo by
// MXP over WebSocket, by a bare WebSocket, and by connect-go's unary calls. It prints where it is.
package main

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"connectrpc.com/connect"
	bare "github.com/coder/websocket"
	"google.golang.org/protobuf/types/known/wrapperspb"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/websocket"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: web FOLDER")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(pages string) error {
	services := mxp.NewServices()
	services.Service("bench.Echo").Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil })
	panels := websocket.NewListener("ws", websocket.Options{})
	go mxp.NewServer(mxp.ServerOptions{Services: services}).Serve(panels)

	mux := http.NewServeMux()
	mux.Handle("/mxp", panels)
	mux.HandleFunc("/bare", echo)
	const method = "/bench.Echo/Echo"
	mux.Handle(method, connect.NewUnaryHandler(method, func(_ context.Context, r *connect.Request[wrapperspb.BytesValue]) (*connect.Response[wrapperspb.BytesValue], error) {
		return connect.NewResponse(r.Msg), nil
	}))
	files := http.FileServer(http.Dir(pages))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		// Pages that share nothing with others have clocks of microseconds.
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		files.ServeHTTP(w, r)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, mux)
}

// echo sends messages back as they came.
func echo(w http.ResponseWriter, r *http.Request) {
	c, err := bare.Accept(w, r, &bare.AcceptOptions{CompressionMode: bare.CompressionDisabled})
	for err == nil {
		var kind bare.MessageType
		var value []byte
		if kind, value, err = c.Read(r.Context()); err == nil {
			err = c.Write(r.Context(), kind, value)
		}
	}
}
