// The race detector takes memory of its own.

//go:build !race

package mxp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// serveBounded is a server with a budget, which is the last part of the address.
func serveBounded(at string) {
	at, text, _ := strings.Cut(at, "#")
	bytes, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	services := mxp.NewServices()
	services.Service("demo.Bounded").
		Call(1, func(_ context.Context, r *mxp.Request) ([]byte, error) { return r.Value, nil }).
		Event(2, func(context.Context, *mxp.Request) error { time.Sleep(20 * time.Millisecond); return nil }).
		Stream(3, func(ctx context.Context, _ *mxp.Request, _ *mxp.Stream) error { <-ctx.Done(); return ctx.Err() })
	server := mxp.NewServer(mxp.ServerOptions{Services: services, MemoryBytes: bytes})
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
	func(ctx context.Context, socket net.Conn) { // sends events faster than they are taken
		if greeted(socket, plainHello()) {
			go io.Copy(io.Discard, socket)
			for id := uint64(1); ctx.Err() == nil && write(socket, anEvent(), id); id += 2 {
			}
		}
	},
	func(ctx context.Context, socket net.Conn) { // serves much
		if greeted(socket, longHello()) {
			io.Copy(io.Discard, socket)
		}
	},
}

// What hostile peers send is made once.
var (
	plainHello = sync.OnceValue(func() []byte { return hello(nil) })
	longHello  = sync.OnceValue(func() []byte { return hello(make([]string, 80_000)) })
	aCall      = sync.OnceValue(func() []byte {
		return made(func(s *session.Session) { s.Call(session.Request{Method: 1}, make([]byte, 128<<10), 0) })
	})
	anOpen = sync.OnceValue(func() []byte {
		return made(func(s *session.Session) { s.Open(session.Request{Method: 3}, 0, 0, nil, false, 0) })
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

// Peers that make a server hold as much as they can don't make it hold more than its
// budget, nor another client wait; and when they are gone, the system has the memory
// again. [MXP-15.3, MXP-15.4]
func TestHostilePeersStayWithinTheBudget(t *testing.T) {
	peers, megabytes := number("MXP_HOSTILE", 200), number("MXP_MEGABYTES", 64)
	lasts := time.Duration(number("MXP_SECONDS", 3)) * time.Second
	at := "mxp+unix://" + filepath.Join(t.TempDir(), "s.sock")
	server := process(t, "bounded", fmt.Sprint(at, "#", megabytes<<20))
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	good, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(good.Close)
	ctx := within(t, lasts+patience*time.Minute)
	if _, err := good.Call(ctx, "demo.Bounded", 1, nil); err != nil {
		t.Fatal(err)
	}
	before := resident(t, server.Process.Pid)

	hostile, over := context.WithTimeout(ctx, lasts)
	defer over()
	var all sync.WaitGroup
	var connected atomic.Int64
	for n := range peers {
		all.Add(1)
		go func() {
			defer all.Done()
			for hostile.Err() == nil {
				socket, err := net.Dial("unix", strings.TrimPrefix(at, "mxp+unix://"))
				if err != nil {
					time.Sleep(time.Millisecond)
					continue
				}
				connected.Add(1)
				cut := context.AfterFunc(hostile, func() { socket.Close() })
				hostiles[n%len(hostiles)](hostile, socket)
				cut()
				socket.Close()
				time.Sleep(20 * time.Millisecond)
			}
		}()
	}
	most, calls, longest := 0, 0, time.Duration(0)
	for hostile.Err() == nil {
		began := time.Now()
		if _, err := good.Call(ctx, "demo.Bounded", 1, make([]byte, 64)); err != nil {
			t.Fatalf("a good client's call ended with %v", err)
		}
		longest = max(longest, time.Since(began))
		calls++
		most = max(most, resident(t, server.Process.Pid))
		time.Sleep(time.Millisecond)
	}
	all.Wait()
	gone, after, little := time.Now(), 0, before+max(16<<20, megabytes<<20/16)
	for after = resident(t, server.Process.Pid); time.Since(gone) < 10*time.Second && after > little; after = resident(t, server.Process.Pid) {
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("%d peers with %d connections, a budget of %d MiB: %.1f MiB before, %.1f at most, %.1f when they had gone for %v; %d calls of a good client, of which the longest took %v",
		peers, connected.Load(), megabytes, mib(before), mib(most), mib(after), time.Since(gone).Round(time.Millisecond), calls, longest)
	if limit := before + megabytes<<20/10*11; most > limit {
		t.Errorf("the server had %.1f MiB, more than %.1f", mib(most), mib(limit))
	}
	if after > little {
		t.Errorf("it has %.1f MiB when they are gone", mib(after))
	}
}

func mib(bytes int) float64 { return float64(bytes) / (1 << 20) }
