package main

import (
	"context"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/serial-data-protocol/sdp/examples/migration/before"
	"github.com/serial-data-protocol/sdp/examples/migration/clients"
	"github.com/serial-data-protocol/sdp/examples/migration/made/bridge/plugins/v1/pluginsbridge"
	"github.com/serial-data-protocol/sdp/examples/migration/made/gen/plugins/v1/plugins"
	"github.com/serial-data-protocol/sdp/examples/migration/made/pb/pluginspb"
	"github.com/serial-data-protocol/sdp/examples/migration/registry"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func dialOld(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

func dialNew(t *testing.T, address string) *mxp.Client {
	t.Helper()
	connection, err := mxp.Dial(address, mxp.ClientOptions{Types: plugins.RegistryTypes()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

// serveOld serves what was there before the move.
func serveOld(t *testing.T) (address string) {
	t.Helper()
	listener, server := listen(t), grpc.NewServer()
	pluginspb.RegisterRegistryServer(server, before.New())
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// both serves gRPC and MXP by one handler.
func both(t *testing.T, handler plugins.RegistryServer) (old, now string) {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	listener := listen(t)
	now = "mxp+unix://" + filepath.Join(t.TempDir(), "r.sock")
	served := make(chan error, 1)
	go func() { served <- serveBoth(ctx, listener, now, handler) }()
	t.Cleanup(func() {
		end()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String(), now
}

func told(t *testing.T, text string, err error) string {
	t.Helper()
	if err != nil {
		t.Fatalf("%v, after:\n%s", err, text)
	}
	return text
}

// TestOldClientsGoOnWhileNewOnesCome lets the clients talk to the server before the move and to
// both sides of the server in the middle of it: each is told the same.
func TestOldClientsGoOnWhileNewOnesCome(t *testing.T) {
	ctx := deadline(t)
	text, err := clients.Old(ctx, dialOld(t, serveOld(t)), "a")
	want := told(t, text, err)
	for _, line := range []string{"added 1 OK", "added 0 AlreadyExists", "map[a:ü b:] https://example.com", "no plugin is called none NotFound", "listed a 2", "scanned /lib/a.clap found for me /lib/a.clap"} {
		if !strings.Contains(want, line) {
			t.Fatalf("the old server says no %q:\n%s", line, want)
		}
	}

	old, now := both(t, registry.New())
	first, second := dialOld(t, old), dialNew(t, now)
	text, err = clients.Old(ctx, first, "a")
	if got := told(t, text, err); got != want {
		t.Errorf("in the middle of the move the old client is told:\n%s\nand not:\n%s", got, want)
	}
	// The new client finds what the old one has added.
	text, err = clients.New(ctx, second, "a")
	if got := told(t, text, err); got != strings.Replace(want, "added 1 OK", "added 0 AlreadyExists", 1) {
		t.Errorf("after the old client the new one is told:\n%s\nand not:\n%s", got, want)
	}
	_, now = both(t, registry.New())
	text, err = clients.New(ctx, dialNew(t, now), "a")
	if got := told(t, text, err); got != want {
		t.Errorf("the new client is told:\n%s\nand not:\n%s", got, want)
	}
}

// TestNewClientsCallAnOldServer puts the server before the move behind a proxy.
func TestNewClientsCallAnOldServer(t *testing.T) {
	ctx := deadline(t)
	text, err := clients.Old(ctx, dialOld(t, serveOld(t)), "a")
	want := told(t, text, err)
	_, now := both(t, pluginsbridge.NewRegistryProxy(pluginspb.NewRegistryClient(dialOld(t, serveOld(t)))))
	text, err = clients.New(ctx, dialNew(t, now), "a")
	if got := told(t, text, err); got != want {
		t.Errorf("by the proxy the new client is told:\n%s\nand not:\n%s", got, want)
	}
}

// TestToolCallsTheServerInTheMiddleOfItsMove is a client of neither library.
func TestToolCallsTheServerInTheMiddleOfItsMove(t *testing.T) {
	old, now := both(t, registry.New())
	text, err := clients.Old(deadline(t), dialOld(t, old), "a")
	told(t, text, err)
	out, err := exec.Command("go", "tool", "sdp", "call", "--schema", "schemas/plugins.sdp", now, "Registry/find", `{"id": "a"}`).CombinedOutput()
	if err != nil || !strings.Contains(string(out), `"https://example.com"`) {
		t.Errorf("%v\n%s", err, out)
	}
}
