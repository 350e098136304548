// Command server serves the questions of faults.test.mjs's pages, by WebSocket, and tells their
// results: `server [-ping MS] PLACE`.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
	"github.com/serial-data-protocol/sdp/mxp/go/websocket"
)

const service = "pages.Pages"

// The methods. Values are numbers of 4 bytes, little-endian.
const (
	echo  = 1 // answers the request after so many milliseconds
	wait  = 2 // until it is cancelled or too late
	flood = 3 // so many chunks of chunkBytes
)

const chunkBytes = 64 << 10

// counts are what has happened.
type counts struct {
	Begun, Now, Peak, Sent, Refused, HeapBytes int64
}

var begun, now, peak, sent, refused atomic.Int64

func main() {
	log.SetFlags(0)
	ping := flag.Int("ping", 0, "the milliseconds after which a silent peer is asked, and half of which it has to answer")
	flag.Parse()
	if err := run(flag.Arg(0), *ping); err != nil {
		log.Fatal(err)
	}
}

func run(place string, ping int) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	services := mxp.NewServices()
	services.Service(service).Call(echo, busy(answer)).Call(wait, busy(waits)).Stream(flood, floods)
	server := mxp.NewServer(mxp.ServerOptions{
		Services: services, Limits: session.Limits{Ping: uint64(ping) * 1000, Pong: uint64(ping) * 500},
	})
	listener := websocket.NewListener("ws", websocket.Options{})
	mux := http.NewServeMux()
	mux.HandleFunc("/mxp", func(w http.ResponseWriter, r *http.Request) { listener.ServeHTTP(&seen{w}, r) })
	mux.HandleFunc("/counts", tell)
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	at, err := net.Listen("tcp", place)
	if err != nil {
		return err
	}
	fmt.Println(at.Addr())
	go web.Serve(at)
	context.AfterFunc(ctx, func() {
		at.Close() // who connects again finds the next server
		within, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		server.Shutdown(within)
	})
	if err := server.Serve(listener); !errors.Is(err, mxp.ErrServerClosed) {
		return err
	}
	return nil
}

// busy counts the calls that a handler has.
func busy(handler func(context.Context, *mxp.Request) ([]byte, error)) func(context.Context, *mxp.Request) ([]byte, error) {
	return func(ctx context.Context, r *mxp.Request) ([]byte, error) {
		begun.Add(1)
		n := now.Add(1)
		defer now.Add(-1)
		for most := peak.Load(); n > most && !peak.CompareAndSwap(most, n); most = peak.Load() {
		}
		return handler(ctx, r)
	}
}

func answer(ctx context.Context, r *mxp.Request) ([]byte, error) {
	select {
	case <-time.After(time.Duration(binary.LittleEndian.Uint32(r.Value)) * time.Millisecond):
		return r.Value, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func waits(ctx context.Context, _ *mxp.Request) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func floods(ctx context.Context, r *mxp.Request, s *mxp.Stream) error {
	chunk := make([]byte, chunkBytes)
	for range binary.LittleEndian.Uint32(r.Value) {
		if err := s.Send(ctx, chunk); err != nil {
			return err
		}
		sent.Add(chunkBytes)
	}
	return nil
}

func tell(w http.ResponseWriter, _ *http.Request) {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	json.NewEncoder(w).Encode(counts{begun.Load(), now.Load(), peak.Load(), sent.Load(), refused.Load(), int64(memory.HeapAlloc)})
}

// seen counts handshakes that are refused.
type seen struct{ http.ResponseWriter }

func (s *seen) WriteHeader(status int) {
	if status == http.StatusForbidden {
		refused.Add(1)
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *seen) Unwrap() http.ResponseWriter { return s.ResponseWriter }
