package main

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// programs are this program in the languages whose servers also share memory. They are built
// before this test runs. MXP_RUST is the profile of Rust's.
var programs = map[string]string{
	"go":   "out/mxp_demo",
	"rust": "../../../target/examples/" + cmp.Or(os.Getenv("MXP_RUST"), "debug") + "/mxp_demo",
	"cpp":  "../../../target/mxp-examples/mxp_demo",
}

// all are the programs in every language.
var all = func() map[string]string {
	if onWindows {
		return map[string]string{"go": "out/mxp_demo.exe", "rust": "../../../target/examples/x86_64-pc-windows-gnu/debug/mxp_demo.exe"}
	}
	every := maps.Clone(programs)
	every["typescript"] = "../typescript/out/main.js"
	return every
}()

const onWindows = runtime.GOOS == "windows"

// local is the scheme of programs of one machine.
var local = map[bool]string{false: "unix", true: "pipe"}[onWindows]

// hasNone is a server's answer about a method that it hasn't got.
const hasNone = "demo.Echo has no call 9; it has call 1, call 2, stream 3, event 4, call 5"

// sharing is whether the system has shared memory; every language has it there.
const sharing = runtime.GOOS == "linux"

// TestEveryLanguageCallsEveryOther runs all pairs over unix sockets, or named pipes, and TCP.
func TestEveryLanguageCallsEveryOther(t *testing.T) {
	for serves, server := range all {
		for _, transport := range []string{local, "tcp"} {
			t.Run(serves+" over "+transport, func(t *testing.T) {
				at := address(t, transport)
				stop := serveAt(t, server, at)
				for asks, client := range all {
					t.Run("asked by "+asks, func(t *testing.T) { converse(t, client, at) })
				}
				stop()
			})
		}
	}
}

// TestEveryLanguageSharesMemoryWithEveryOther also calls a server with memory over its socket.
func TestEveryLanguageSharesMemoryWithEveryOther(t *testing.T) {
	if !sharing {
		return
	}
	for serves, server := range programs {
		t.Run(serves, func(t *testing.T) {
			at := address(t, "shm")
			stop := serveAt(t, server, at)
			for asks, client := range programs {
				t.Run("asked by "+asks, func(t *testing.T) { converse(t, client, at) })
				t.Run("shares with "+asks, func(t *testing.T) { share(t, client, at) })
				t.Run("asked by "+asks+" over its socket", func(t *testing.T) { converse(t, client, strings.Replace(at, "shm", "unix", 1)) })
			}
			stop()
		})
	}
}

// TestMemoryIsDeclinedByServersWithout has clients with memory call servers of every language
// that listen at a unix socket.
func TestMemoryIsDeclinedByServersWithout(t *testing.T) {
	for serves, server := range programs {
		at := address(t, "unix")
		stop := serveAt(t, server, at)
		for asks, client := range programs {
			t.Run(serves+" asked by "+asks, func(t *testing.T) { converse(t, client, strings.Replace(at, "unix", "shm", 1)) })
		}
		stop()
	}
}

// share has a client call until it has mapped its own memory and that of the server: what it does
// not, is carried by the socket.
func share(t *testing.T, program, at string) {
	t.Helper()
	client := exec.Command(program, "load", at, "1")
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	defer client.Wait()
	defer client.Process.Signal(os.Interrupt)
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", client.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(maps), "/memfd:mxp") == 2 {
			return
		}
		if time.Now().After(end) {
			t.Fatal("it has not two memories")
		}
	}
}

// TestClientInAForeignEventLoopIsAnswered has a client of C++ in a loop of poll(2).
func TestClientInAForeignEventLoopIsAnswered(t *testing.T) {
	at := address(t, "unix")
	stop := serveAt(t, programs["cpp"], at)
	defer stop()
	told, err := exec.Command(programs["cpp"], "poll", at, "one", "two", "three").CombinedOutput()
	if err != nil || string(told) != "one\ntwo\nthree\n" {
		t.Errorf("it ended with %v, and said\n%s", err, told)
	}
}

// address is one that nobody listens on.
func address(t *testing.T, transport string) string {
	switch transport {
	case "tcp":
	case "pipe":
		return fmt.Sprintf("mxp+pipe://mxp_demo.%d.%d", os.Getpid(), time.Now().UnixNano())
	default:
		return "mxp+" + transport + "://" + filepath.Join(t.TempDir(), "echo.sock")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return "mxp+tcp://" + listener.Addr().String()
}

// serveAt starts a server, which is to end by itself when it is told to.
func serveAt(t *testing.T, program, at string) (stop func()) {
	t.Helper()
	cmd := exec.Command(program, "serve", at)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })
	return func() {
		if onWindows { // which interrupts no process of another console
			cmd.Process.Kill()
			<-ended
			return
		}
		cmd.Process.Signal(os.Interrupt)
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("the server does not end")
		}
	}
}

// converse asks for everything that demo.Echo has. Failures of a call while the server is not up
// yet are for the client to wait out.
func converse(t *testing.T, program, at string) {
	long := strings.Repeat("long ", 20_000)
	if onWindows { // whose command lines have 32 kB
		long = long[:20_000]
	}
	for _, one := range []struct {
		args []string
		want string
	}{
		{[]string{"call", at, "1", "hello"}, "hello\n"},
		{[]string{"call", at, "1", long}, long + "\n"},
		{[]string{"call", at, "2", "not today"}, "failed: demo_refused: not today\n"},
		{[]string{"call", at, "9", "what"}, "failed: method_unknown: " + hasNone + "\n"},
		{[]string{"stream", at, "one", "two", "three"}, "ONE\nTWO\nTHREE\n"},
	} {
		out, err := exec.Command(program, one.args...).Output()
		if failed := strings.HasPrefix(one.want, "failed"); string(out) != one.want || (err != nil) != failed {
			t.Errorf("%.60v: %.100q, %v, want %.60q", one.args, out, err, one.want)
		}
	}
	before, after := counted(t, program, at), counted(t, program, at)
	if after != before+1 {
		t.Errorf("%d events, then %d", before, after)
	}
}

func counted(t *testing.T, program, at string) (n int) {
	t.Helper()
	out, err := exec.Command(program, "event", at, "tick").Output()
	if _, scanned := fmt.Sscanf(string(out), "%d\n", &n); err != nil || scanned != nil {
		t.Errorf("an event: %q, %v", out, err)
	}
	return n
}

// TestOnlyTheLibraryIsNeeded looks at what a program gets that uses MXP: nothing
// of the compiler, and nothing that serves its tests; WebSocket needs a library where it is used.
func TestOnlyTheLibraryIsNeeded(t *testing.T) {
	allowed := map[string]bool{
		"github.com/serial-data-protocol/sdp/examples/mxp/go": true, "github.com/serial-data-protocol/sdp/mxp/go": true, "github.com/serial-data-protocol/sdp/runtime": true,
		"github.com/zeebo/xxh3": true, "github.com/klauspost/cpuid/v2": true, "golang.org/x/sys": true,
		"go.opentelemetry.io/otel": true, "go.opentelemetry.io/otel/metric": true, "go.opentelemetry.io/otel/trace": true,
	}
	const library = "github.com/serial-data-protocol/sdp/mxp/go"
	for _, named := range []struct{ program, more string }{{library, ""}, {".", "github.com/coder/websocket"}} {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", named.program).Output()
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, module := range strings.Fields(string(out)) {
			seen[module] = true
			if !allowed[module] && module != named.more {
				t.Errorf("%s needs %s", named.program, module)
			}
		}
		if len(seen) < 3 {
			t.Errorf("only %d modules were seen of %s", len(seen), named.program)
		}
	}
}
