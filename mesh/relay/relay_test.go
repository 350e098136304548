package relay_test

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/authority"
	"github.com/serial-data-protocol/sdp/mesh/relay"
)

// nodes is the configuration of the connections between the nodes of a mesh.
func nodes(t *testing.T) *tls.Config {
	t.Helper()
	folder := t.TempDir()
	a, err := authority.Create(folder, "desk")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Issue(folder, authority.Request{Name: "n1", Node: true, Lasts: time.Hour}); err != nil {
		t.Fatal(err)
	}
	trust, err := authority.Load(authority.Files{
		Certificate: filepath.Join(folder, "n1.pem"), Key: filepath.Join(folder, "n1.key"), Authority: filepath.Join(folder, authority.CertificateFile),
	})
	if err != nil {
		t.Fatal(err)
	}
	return trust.Nodes()
}

// led is a connection that two relays carry, and the agent's end of it.
func led(t *testing.T, carried func(int)) (asker, agent net.Conn) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "agent.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	there := ""
	options := relay.Options{
		TLS: nodes(t), Folder: folder, Carried: carried, Logger: slog.New(slog.DiscardHandler),
		Local:  func(agent string) string { return map[string]string{"far": path}[agent] },
		Remote: func(string) string { return there },
	}
	r, err := relay.Listen("127.0.0.1:0", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	there = r.Address()
	if asker, err = net.Dial("unix", r.Exit("far")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { asker.Close() })
	if agent, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agent.Close() })
	return asker, agent
}

// systemBytes is more than the system's buffers of three sockets whose readers have stopped.
const systemBytes = 24 << 20

// [MESH-4.1]
func TestWhoWritesToOneWhoDoesNotReadIsMadeToWait(t *testing.T) {
	asker, _ := led(t, func(int) {})
	asker.SetWriteDeadline(time.Now().Add(2 * time.Second))
	wrote := 0
	for block := make([]byte, 1<<20); wrote < 2*systemBytes; {
		n, err := asker.Write(block)
		wrote += n
		if err != nil {
			break
		}
	}
	if wrote >= systemBytes {
		t.Errorf("%d bytes were taken that nobody has read", wrote)
	}
}

// [MESH-4.1]
func TestADirectionThatEndsLeavesTheOther(t *testing.T) {
	var carried atomic.Int64
	asker, agent := led(t, func(n int) { carried.Add(int64(n)) })
	if _, err := io.WriteString(asker, "question"); err != nil {
		t.Fatal(err)
	}
	if err := asker.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(agent); err != nil || string(text) != "question" {
		t.Errorf("the agent reads %q, %v", text, err)
	}
	if _, err := io.WriteString(agent, "answer"); err != nil {
		t.Fatal(err)
	}
	agent.Close()
	if text, err := io.ReadAll(asker); err != nil || string(text) != "answer" {
		t.Errorf("the asker reads %q, %v", text, err)
	}
	if got := carried.Load(); got != 2*int64(len("question")+len("answer")) {
		t.Errorf("%d bytes were carried", got)
	}
}
