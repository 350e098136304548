package mxp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Where there is no shared memory, a connection goes on over its socket, and says so: the peer's
// transport is that of the socket, and the log has the reason. [MXP-18.5] [MXP-18.11]
func TestConnectionsWithoutMemoryGoOverTheirSockets(t *testing.T) {
	for name, one := range map[string]struct {
		listen string
		server mxp.ServerOptions
		client mxp.ClientOptions
		reason string
		counts uint64 // by the server: what it was not offered it does not know of
	}{
		"a server of an earlier release":  {listen: "unix", reason: "it is of an earlier release"},
		"a server whose rings are full":   {listen: "shm", server: mxp.ServerOptions{ShmBytes: 100 << 10}, reason: "the peer has no memory to give", counts: 1},
		"a client that can't make memory": {listen: "shm", client: mxp.ClientOptions{ShmRingBytes: 128 << 20}, reason: "shm_bytes"},
		"a client with connections of its own": {listen: "shm", reason: "no memory can be handed over", client: mxp.ClientOptions{
			Dial: func(ctx context.Context, network, place string) (net.Conn, error) {
				socket, err := new(net.Dialer).DialContext(ctx, network, place)
				return struct{ net.Conn }{socket}, err
			}}},
	} {
		t.Run(name, func(t *testing.T) {
			var there, here strings.Builder
			services, peers := asked()
			one.server.Services, one.server.Logger, one.client.Logger = services, textLog(&there), textLog(&here)
			server := mxp.NewServer(one.server)
			path := filepath.Join(t.TempDir(), "s.sock")
			listener, err := server.Listen("mxp+" + one.listen + "://" + path)
			if err != nil {
				t.Fatal(err)
			}
			go server.Serve(listener)
			client, err := mxp.Dial("mxp+shm://"+path, one.client)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Call(within(t, patience*10*time.Second), "demo.Who", 1, nil); err != nil {
				t.Fatal(err)
			}
			if p := <-peers; p.Transport != "unix" || p.Process == nil {
				t.Errorf("the peer is %+v", p)
			}
			if here, there := client.Stats(), server.Stats(); here.ShmFallbacks != 1 || there.ShmFallbacks != one.counts || !strings.Contains(here.Prometheus(), "mxp_shm_fallbacks_total 1\n") {
				t.Errorf("the client counts %d, the server %d", here.ShmFallbacks, there.ShmFallbacks)
			}
			client.Close()
			server.Close()
			if !strings.Contains(here.String(), one.reason) {
				t.Errorf("the client's log has %q, and not %q", here.String(), one.reason)
			}
			if one.server.ShmBytes != 0 && !strings.Contains(there.String(), "shm_bytes") {
				t.Errorf("the server's log has %q", there.String())
			}
		})
	}
}

// A server with memory takes plain sessions at the same place. [MXP-18.1]
func TestPlaceOfMemoryTakesPlainSessions(t *testing.T) {
	services, peers := asked()
	server, at := open(t, "shm", mxp.ServerOptions{Services: services})
	client := dialled(t, strings.Replace(at, "shm", "unix", 1), mxp.ClientOptions{})
	if _, err := client.Call(within(t, patience*10*time.Second), "demo.Who", 1, nil); err != nil {
		t.Fatal(err)
	}
	if p := <-peers; p.Transport != "unix" {
		t.Errorf("the peer is %+v", p)
	}
	if there := server.Stats(); there.ShmFallbacks != 0 {
		t.Errorf("%d fallbacks are counted", there.ShmFallbacks)
	}
}

// Options that can't be are refused.
func TestRingsThatCannotBeAreRefused(t *testing.T) {
	for _, bytes := range []int{-1, 1, 4095, 3 << 12, 1<<30 + 1} {
		if _, err := mxp.Dial("mxp+shm:///s", mxp.ClientOptions{ShmRingBytes: bytes}); err == nil || !strings.Contains(err.Error(), "ShmRingBytes") {
			t.Errorf("a ring of %d bytes: %v", bytes, err)
		}
		if _, err := mxp.NewServer(mxp.ServerOptions{ShmRingBytes: bytes}).Listen("mxp+shm:///s"); err == nil {
			t.Errorf("a server takes a ring of %d bytes", bytes)
		}
	}
	if _, err := mxp.NewServer(mxp.ServerOptions{ShmBytes: -1}).Listen("mxp+shm:///s"); err == nil {
		t.Error("a server takes fewer bytes than none")
	}
}

// intruder is a peer that hands memory over properly, and then does with it what it likes.
type intruder struct {
	socket *net.UnixConn
	memory []byte // its own: numbers and a ring of 4,096 bytes
}

func (i *intruder) number(at int) *atomic.Uint64 { return numberAt(i.memory, at) }

func numberAt(memory []byte, at int) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&memory[at]))
}

// intrudeByMemory is the handover of an opener.
func intrudeByMemory(t *testing.T, at string) *intruder {
	t.Helper()
	const size = 8192
	socket, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: strings.TrimPrefix(at, "mxp+shm://"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	fd, err := unix.MemfdCreate("intruder", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Fallocate(fd, 0, 0, size); err != nil {
		t.Fatal(err)
	}
	memory, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(memory) })
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_FUTURE_WRITE|unix.F_SEAL_SEAL); err != nil {
		t.Fatal(err)
	}
	offer := make([]byte, 32)
	copy(offer, "MXPS\x01")
	binary.LittleEndian.PutUint64(offer[8:], 4096)
	if _, _, err := socket.WriteMsgUnix(offer, unix.UnixRights(fd), nil); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 32)
	socket.SetReadDeadline(time.Now().Add(patience * 10 * time.Second))
	if _, err := socket.Read(answer); err != nil || answer[5] != 0 {
		t.Fatalf("%x, %v", answer, err)
	}
	return &intruder{socket, memory}
}

// ended waits until the server has closed the connection.
func (i *intruder) ended(t *testing.T) {
	t.Helper()
	i.socket.SetReadDeadline(time.Now().Add(patience * 20 * time.Second))
	for notices := make([]byte, 64); ; {
		if _, err := i.socket.Read(notices); err != nil {
			if errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "timeout") {
				t.Error("the server keeps it")
			}
			return
		}
	}
}

// A peer that misuses its memory ends its own connection, by name, and no other.
// [MXP-18.4] [MXP-18.7] [MXP-18.8]
func TestIntrudersDisturbNobody(t *testing.T) {
	const atWritten = 64
	hello := (&peer{s: session.New(session.Config{}, 0)}).bytes()
	for name, one := range map[string]struct {
		does func(t *testing.T, i *intruder)
		log  string
	}{
		"too much written": {func(_ *testing.T, i *intruder) { i.number(atWritten).Store(4097) }, "shm_index"},
		"less written than before": {func(_ *testing.T, i *intruder) {
			i.number(atWritten).Store(uint64(copy(i.memory[4096:], hello)))
			i.socket.Write([]byte{0})
			time.Sleep(patience * 20 * time.Millisecond)
			i.number(atWritten).Store(1)
		}, "shm_index"},
		"no frames": {func(_ *testing.T, i *intruder) { i.number(atWritten).Store(4096) }, "frame_magic"},
		"frames that change while they are read": {func(t *testing.T, i *intruder) {
			i.number(atWritten).Store(uint64(copy(i.memory[4096:], hello)))
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for n := uint64(len(hello)); ; n++ {
					select {
					case <-stop:
						return
					default:
						i.memory[4096+n%4096] ^= byte(n)
						if taken := numberAt(i.memory, atWritten); n%64 == 0 && n < 4096 {
							taken.Store(n)
						}
					}
				}
			}()
			t.Cleanup(func() { close(stop); <-stopped })
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			var events atomic.Int64
			server, at := open(t, "shm", mxp.ServerOptions{Services: echoServices(&events), Logger: textLog(&log), Limits: session.Limits{Hello: 300_000, Linger: 100_000}})
			good := dialled(t, at, mxp.ClientOptions{})
			ctx := within(t, patience*20*time.Second)
			// The time for a Hello is short for the intruders' sake: that of the good client is
			// behind it before they take the processors.
			if _, err := good.Call(ctx, "demo.Echo", 1, nil); err != nil {
				t.Fatal(err)
			}
			for n := range 3 {
				i := intrudeByMemory(t, at)
				one.does(t, i)
				i.socket.Write([]byte{0}) // wakes whoever sleeps
				value := fmt.Sprint(n)
				if reply, err := good.Call(ctx, "demo.Echo", 1, []byte(value)); err != nil || string(reply.Value) != value {
					t.Fatalf("others are disturbed: %q, %v", reply.Value, err)
				}
				i.ended(t)
			}
			good.Close()
			server.Close()
			if !strings.Contains(log.String(), one.log) {
				t.Errorf("the log has %q", log.String())
			}
		})
	}
}

// Offers that can't be taken are refused by name, and disturb nobody. [MXP-18.4]
func TestHandoversThatFailDisturbNobody(t *testing.T) {
	var log strings.Builder
	var events atomic.Int64
	server, at := open(t, "shm", mxp.ServerOptions{Services: echoServices(&events), Logger: textLog(&log)})
	good := dialled(t, at, mxp.ClientOptions{})
	offer := make([]byte, 32)
	copy(offer, "MXPS\x01")
	binary.LittleEndian.PutUint64(offer[8:], 4096)
	for name, sent := range map[string][]byte{"shm_memory": offer, "shm_handover": offer[:20]} {
		socket, err := net.Dial("unix", strings.TrimPrefix(at, "mxp+shm://"))
		if err != nil {
			t.Fatal(err)
		}
		defer socket.Close()
		socket.Write(sent)
		socket.(*net.UnixConn).CloseWrite()
		answer := make([]byte, 33)
		socket.SetReadDeadline(time.Now().Add(patience * 10 * time.Second))
		if n, err := socket.Read(answer); n != 32 || err != nil || answer[5] != 2 {
			t.Errorf("%s: it answers %x, %v", name, answer[:n], err)
		}
		if _, err := good.Call(within(t, patience*10*time.Second), "demo.Echo", 1, nil); err != nil {
			t.Error(err)
		}
	}
	good.Close()
	server.Close()
	for _, name := range []string{"shm_memory", "shm_handover"} {
		if !strings.Contains(log.String(), name) {
			t.Errorf("the log has %q, and not %s", log.String(), name)
		}
	}
}

// A client whose memory is refused has no attempt left, and is told why. [MXP-18.4]
func TestRefusedMemoryIsFinal(t *testing.T) {
	at := filepath.Join(t.TempDir(), "s.sock")
	listener, err := net.Listen("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			socket, err := listener.Accept()
			if err != nil {
				return
			}
			refusal := make([]byte, 32)
			socket.Read(refusal)
			clear(refusal)
			copy(refusal, "MXPS\x01\x02")
			socket.Write(refusal)
			socket.Close()
		}
	}()
	client := dialled(t, "mxp+shm://"+at, mxp.ClientOptions{})
	var f *mxp.Failure
	if err := client.Ready(within(t, patience*10*time.Second)); !errors.As(err, &f) || f.Status != session.StatusFailedPrecondition || !strings.Contains(f.Text, "refuses the memory") {
		t.Error(err)
	}
}

// textLog keeps what is logged, to be read when nobody logs any more.
func textLog(to *strings.Builder) *slog.Logger { return slog.New(slog.NewTextHandler(to, nil)) }

// Connections on which nothing happens take no time of the processor, and none is lost.
func TestIdleMemoryTakesNoTime(t *testing.T) {
	var events atomic.Int64
	_, at := open(t, "shm", mxp.ServerOptions{Services: echoServices(&events)})
	var clients []*mxp.Client
	for range 16 {
		client := dialled(t, at, mxp.ClientOptions{})
		clients = append(clients, client)
		if _, err := client.Call(within(t, patience*10*time.Second), "demo.Echo", 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	spent := func() time.Duration {
		var usage unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
			t.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	const idle = 400 * time.Millisecond
	time.Sleep(idle)
	before := spent()
	time.Sleep(idle)
	if took := spent() - before; took > patience*idle/10 {
		t.Errorf("they take %v of %v", took, idle)
	}
	for _, client := range clients {
		if _, err := client.Call(within(t, patience*10*time.Second), "demo.Echo", 1, nil); err != nil {
			t.Error(err)
		}
	}
}
