package mxp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// The test program is also the processes that are killed: it serves, or calls
// without end, as its first argument says.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case "serve":
			serveForEver(os.Args[2])
		case "call":
			callForEver(os.Args[2])
		case "drain":
			serveUntilTold(os.Args[2])
		case "bounded":
			serveBounded(os.Args[2])
		case "crash":
			crashForEver(os.Args[2])
		case "flood":
			fmt.Println("flooding")
			floodForEver(os.Args[2])
		}
	}
	os.Exit(m.Run())
}

func serveForEver(at string) {
	var events atomic.Int64
	server := mxp.NewServer(mxp.ServerOptions{Services: echoServices(&events)})
	listener, err := server.Listen(at)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("serving")
	server.Serve(listener)
	os.Exit(0)
}

func callForEver(at string) {
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		os.Exit(1)
	}
	ctx := context.Background()
	go func() {
		for {
			if s, err := client.Open(ctx, "demo.Echo", 5, nil); err == nil {
				s.Send(ctx, make([]byte, 100))
			}
			client.Call(ctx, "demo.Echo", 1, make([]byte, 1<<20))
		}
	}()
	if _, err := client.Call(ctx, "demo.Echo", 1, nil); err == nil {
		fmt.Println("calling")
	}
	client.Call(ctx, "demo.Echo", 3, nil) // has no answer
	os.Exit(0)
}

// program is a command of the test program. An emulator that runs it has to run its processes too:
// a kernel starts no programs of other machines by itself.
func program(arguments ...string) *exec.Cmd {
	words := slices.Concat(strings.Fields(os.Getenv("MXP_EMULATOR")), os.Args[:1], arguments)
	return exec.Command(words[0], words[1:]...)
}

// process starts the test program as another process, and waits for its first
// word.
func process(t *testing.T, what, at string) *exec.Cmd {
	t.Helper()
	cmd := program(what, at)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%s says nothing: %v", what, err)
	}
	return cmd
}

// number is a setting of the test's, for longer runs.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// However often the server is killed, every call ends once, and says whether the
// server may have acted.
func TestServerIsKilled(t *testing.T) {
	for _, transport := range []string{"unix", "shm"} {
		t.Run(transport, func(t *testing.T) { serverIsKilled(t, transport) })
	}
}

func serverIsKilled(t *testing.T, transport string) {
	at := "mxp+" + transport + "://" + filepath.Join(t.TempDir(), "s.sock")
	client, err := mxp.Dial(at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	var begun, answered, acted, unsent, other atomic.Int64
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 8 {
		callers.Add(1)
		go func() {
			defer callers.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				begun.Add(1)
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				_, err := client.Call(ctx, "demo.Echo", 1, make([]byte, rand.N(20_000)))
				cancel()
				var f *mxp.Failure
				switch {
				case err == nil:
					answered.Add(1)
				case !errors.As(err, &f) || !errors.Is(err, session.ErrLost):
					other.Add(1)
					t.Errorf("ended with %v", err)
				case f.Acted:
					acted.Add(1)
				default:
					unsent.Add(1)
				}
			}
		}()
	}
	kills := number("MXP_KILLS", 20)
	for range kills {
		server, before := process(t, "serve", at), answered.Load()
		eventually(t, func() bool { return answered.Load() > before })
		time.Sleep(rand.N(20 * time.Millisecond))
		server.Process.Kill()
		server.Wait()
	}
	close(stop)
	server := process(t, "serve", at)
	callers.Wait()
	server.Process.Kill()
	server.Wait()
	t.Logf("%d kills, %d calls: %d answered, %d may have been acted on, %d not", kills, begun.Load(), answered.Load(), acted.Load(), unsent.Load())
	if begun.Load() != answered.Load()+acted.Load()+unsent.Load()+other.Load() || answered.Load() == 0 || acted.Load() == 0 {
		t.Error("the numbers don't add up")
	}
}

// However often clients are killed, the server keeps nothing of them.
func TestClientIsKilled(t *testing.T) {
	for _, transport := range []string{"unix", "shm"} {
		t.Run(transport, func(t *testing.T) { clientIsKilled(t, transport) })
	}
}

func clientIsKilled(t *testing.T, transport string) {
	r := start(t, transport, mxp.ServerOptions{})
	kills := number("MXP_KILLS", 20)
	for range kills {
		client := process(t, "call", r.at)
		time.Sleep(rand.N(5 * time.Millisecond))
		client.Process.Kill()
		client.Wait()
	}
	unharmed(t, r)
	eventually(t, func() bool { return descriptors(t) < 20 && mappings(t) <= 4 })
}

// mappings is how much memory of connections this process has mapped: that of the one client
// and the one server of a test is mapped four times.
func mappings(t *testing.T) int {
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "/memfd:mxp")
}

// descriptors is how many files this process has open.
func descriptors(t *testing.T) int {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
