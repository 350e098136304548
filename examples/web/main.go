// Command web is a host of plug-ins whose panels are web pages. It serves the pages, and at /mxp
// the service that they use, by WebSocket.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/serial-data-protocol/sdp/examples/web/rack"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/websocket"
)

func main() {
	log.SetFlags(0)
	at := flag.String("at", "127.0.0.1:8300", "serve at this address")
	input := flag.String("input", "examples/registry/lv2-62.json", "the plug-ins, as JSON")
	pages := flag.String("pages", "examples/web/page", "the folder of the pages")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout, *at, *input, *pages); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, at, input, pages string) error {
	listed, err := readPlugins(input)
	if err != nil {
		return err
	}
	host := newHost(listed)
	go host.automate(ctx)
	services := mxp.NewServices()
	rack.RegisterRack(services, host)
	server := mxp.NewServer(mxp.ServerOptions{Services: services})

	// Pages of other origins, and of other names that lead to this machine, are refused.
	panels := websocket.NewListener("ws", websocket.Options{})
	mux := http.NewServeMux()
	mux.Handle("/mxp", panels)
	mux.Handle("/", guarded(http.FileServer(http.Dir(pages))))
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	listener, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d plug-ins at http://%s/\n", len(listed.Plugins), listener.Addr())

	ended := make(chan error, 2)
	go func() { ended <- web.Serve(listener) }()
	go func() { ended <- server.Serve(panels) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	patience, done := context.WithTimeout(context.Background(), 3*time.Second)
	defer done()
	host.end() // panels that are open end, and so the server need not wait for them
	return errors.Join(err, server.Shutdown(patience), web.Shutdown(patience))
}

// Policies of pages: scripts come from here alone, and none is made of text. The frame of a
// panel reaches nothing but the port that it is given, also where the page that holds it
// forgets to say so.
const (
	policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; " +
		"require-trusted-types-for 'script'; "
	pagePolicy  = policy + "connect-src 'self'; frame-src 'self'; frame-ancestors 'none'"
	framePolicy = policy + "frame-ancestors 'self'; sandbox allow-scripts"
)

// guarded has the headers of all files.
func guarded(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		policy := pagePolicy
		if r.URL.Path == "/frame.html" {
			policy = framePolicy
		}
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-cache") // so that a page is that of the host which serves it
		files.ServeHTTP(w, r)
	})
}
