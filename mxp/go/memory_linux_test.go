package mxp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// serveBounded is a server with a budget, which is the last part of the address.
func serveBounded(at string) {
	at, text, _ := strings.Cut(at, "#")
	most, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	services := mxp.NewServices()
	services.Service("demo.Bounded").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil }).
		Event(2, func(context.Context, *mxp.Request) error { time.Sleep(20 * time.Millisecond); return nil }).
		Stream(3, func(ctx context.Context, _ *mxp.Request, _ *mxp.Stream) error { <-ctx.Done(); return ctx.Err() }).
		Stream(4, func(ctx context.Context, _ *mxp.Request, s *mxp.Stream) error {
			for {
				if value, err := s.Recv(ctx); err != nil {
					return err
				} else if err := s.Send(ctx, bytes.ToUpper(value)); err != nil {
					return err
				}
			}
		})
	server := mxp.NewServer(mxp.ServerOptions{Services: services, MemoryBytes: most})
	listener, err := server.Listen(at)
	if err != nil {
		panic(err)
	}
	fmt.Println("serving")
	server.Serve(listener)
	os.Exit(0)
}

// resident is how much memory a process has.
func resident(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// hostiles are the ways in which peers make a server hold memory. Each uses a connection
// until it is cut off, or the time is over.
var hostiles = []func(ctx context.Context, socket net.Conn){
	func(ctx context.Context, socket net.Conn) { // asks, and never reads
		if greeted(socket, plainHello()) {
			for id := uint64(1); ctx.Err() == nil && write(socket, aCall(), id); id += 2 {
			}
		}
	},
	func(ctx context.Context, socket net.Conn) { // sends on streams that nobody reads
		if !greeted(socket, plainHello()) {
			return
		}
		go io.Copy(io.Discard, socket)
		for id := uint64(1); id < 128; id += 2 {
			write(socket, anOpen(), id)
		}
		for range 32 {
			for id := uint64(1); id < 128; id += 2 {
				if !write(socket, aChunk(), id) {
					return
				}
			}
		}
		<-ctx.Done()
	},
	func(ctx context.Context, socket net.Conn) { // lets nothing be sent of what it asks for
		if !greeted(socket, plainHello()) {
			return
		}
		go io.Copy(io.Discard, socket)
		for id := uint64(1); ctx.Err() == nil && id < 1024 && write(socket, anEcho(), id) && write(socket, aChunk(), id); id += 2 {
		}
		<-ctx.Done()
	},
	func(ctx context.Context, socket net.Conn) { // sends events faster than they are taken
		if greeted(socket, plainHello()) {
			go io.Copy(io.Discard, socket)
			for id := uint64(1); ctx.Err() == nil && write(socket, anEvent(), id); id += 2 {
			}
		}
	},
	func(ctx context.Context, socket net.Conn) { // sends batches of events that have no bytes
		if greeted(socket, batchHello()) {
			go io.Copy(io.Discard, socket)
			for id := uint64(1); ctx.Err() == nil && write(socket, emptyEvents(), id); id += 2 {
			}
		}
	},
	func(ctx context.Context, socket net.Conn) { // sends batches of chunks that have none, which nobody reads
		if !greeted(socket, batchHello()) {
			return
		}
		go io.Copy(io.Discard, socket)
		for id := uint64(1); ctx.Err() == nil && id < 1024 && write(socket, anOpen(), id) && write(socket, emptyChunks(), id); id += 2 {
		}
		<-ctx.Done()
	},
	func(ctx context.Context, socket net.Conn) { // opens streams, and is silent on them
		if !greeted(socket, plainHello()) {
			return
		}
		go io.Copy(io.Discard, socket)
		for id := uint64(1); ctx.Err() == nil && id < 8192 && write(socket, anOpen(), id); id += 2 {
		}
		<-ctx.Done()
	},
	func(_ context.Context, socket net.Conn) { // sends batches of events, and hangs up
		if greeted(socket, batchHello()) {
			write(socket, emptyEvents(), 1)
		}
	},
	func(ctx context.Context, socket net.Conn) { // serves much
		if greeted(socket, longHello()) {
			io.Copy(io.Discard, socket)
		}
	},
}

// The bytes that hostile peers send are made once.
var (
	plainHello = sync.OnceValue(func() []byte { return hello(nil) })
	longHello  = sync.OnceValue(func() []byte { return hello(make([]string, 80_000)) })
	aCall      = sync.OnceValue(func() []byte {
		return made(func(s *session.Session) { s.Call(session.Request{Method: 1}, make([]byte, 128<<10), 0) })
	})
	anOpen = sync.OnceValue(func() []byte {
		return made(func(s *session.Session) { s.Open(session.Request{Method: 3}, 0, 0, nil, false, 0) })
	})
	anEcho = sync.OnceValue(func() []byte {
		return made(func(s *session.Session) { s.Open(session.Request{Method: 4}, 0, 0, nil, false, 0) })
	})
	anEvent = sync.OnceValue(func() []byte {
		return made(func(s *session.Session) {
			s.Event(session.Request{Method: 2}, make([]byte, 8<<20), false, session.Refuse, 0)
		})
	})
	aChunk = sync.OnceValue(func() []byte {
		return wire(frame.Frame{Header: frame.Header{Type: frame.StreamChunk, MessageID: 1}, Payload: make([]byte, 64<<10)})
	})
)

// Batches of as many records without bytes as fit.
var (
	batchHello = sync.OnceValue(func() []byte {
		return framed(session.New(session.Config{OfferChecksumOff: true, OfferBatches: true}, 0))
	})
	emptyEvents = sync.OnceValue(func() []byte {
		one := made(func(s *session.Session) { s.Event(session.Request{Method: 2}, nil, false, session.Refuse, 0) })
		start := one[frame.HeaderSize : len(one)-frame.TrailerSize]
		return wire(frame.Frame{Header: frame.Header{Type: frame.Events, MessageID: 1}, Payload: append(start, make([]byte, 60_000)...)})
	})
	emptyChunks = sync.OnceValue(func() []byte {
		return wire(frame.Frame{Header: frame.Header{Type: frame.StreamChunks, MessageID: 1}, Payload: make([]byte, 2*16_384)})
	})
)

func hello(services []string) []byte {
	for i := range services {
		services[i] = strconv.Itoa(i)
	}
	return framed(session.New(session.Config{Services: services, OfferChecksumOff: true}, 0))
}

// made are the frames that a session makes that is ready.
func made(do func(s *session.Session)) []byte {
	s := session.New(session.Config{OfferChecksumOff: true}, 0)
	framed(s)
	piece := framed(session.New(session.Config{Role: session.Acceptor, Services: []string{"demo.Bounded"}, OfferChecksumOff: true}, 0))
	for _, ok := s.Receive(&piece, 0); ok; _, ok = s.Receive(&piece, 0) {
	}
	do(s)
	return framed(s)
}

// framed are the frames that a session has to send.
func framed(s *session.Session) (all []byte) {
	for f, ok := s.PollFrame(0); ok; f, ok = s.PollFrame(0) {
		all = append(append(append(all, f.Head...), f.Value...), f.Trailer...)
	}
	return all
}

// wire is a frame as bytes, without a checksum.
func wire(f frame.Frame) []byte {
	all, err := f.Append(nil, frame.ChecksumOff)
	if err != nil {
		panic(err)
	}
	return all
}

// write sends a frame under another id.
func write(socket net.Conn, all []byte, id uint64) bool {
	header := bytes.Clone(all[:frame.HeaderSize])
	binary.LittleEndian.PutUint64(header[8:], id)
	pieces := net.Buffers{header, all[frame.HeaderSize:]}
	_, err := pieces.WriteTo(socket)
	return err == nil
}

// greeted says Hello, and waits for that of the other side.
func greeted(socket net.Conn, hello []byte) bool {
	if _, err := socket.Write(hello); err != nil {
		return false
	}
	_, err := socket.Read(make([]byte, 4<<10))
	return err == nil
}
