// Package relay carries bytes between programs of different machines, from node to node: into an
// agent of this machine for other nodes, and out of sockets of this machine to agents of others. It
// reads nothing of the carried bytes [MESH-4.1].
package relay

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/serial-data-protocol/sdp/mesh/registry"
)

const (
	// waitingBytes is how much of one direction of a connection is in this process at a time: far
	// less than may be.
	waitingBytes = 64 << 10
	// greeting stands before the name of the agent, in the line with which a node begins.
	greeting     = "sdp-mesh-relay/1 "
	lineBytesMax = 512
	dialTime     = 5 * time.Second
	// exitsMax bounds the sockets that lead to agents of other machines.
	exitsMax = 1024
	// connectionsMax bounds what is carried at once.
	connectionsMax = 4096
)

// Options are what a relay is made with.
type Options struct {
	// TLS is that of nodes.
	TLS *tls.Config
	// Local is the path of the socket of an agent of this machine; empty if there is none.
	Local func(agent string) string
	// Remote is the address of the relay of an agent's node; empty if there is none.
	Remote func(agent string) string
	// Folder has the sockets that lead to agents of other machines.
	Folder string
	// Carried is told how many bytes were.
	Carried func(bytes int)
	Logger  *slog.Logger
}

// Relay carries bytes.
type Relay struct {
	options  Options
	listener net.Listener
	places   chan struct{}

	context context.Context // until Close
	stop    context.CancelFunc
	running sync.WaitGroup

	mu    sync.Mutex
	exits map[string]net.Listener // by the names of agents
}

// Listen makes a relay that other nodes reach at an address.
func Listen(address string, o Options) (*Relay, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	r := &Relay{options: o, listener: listener, places: make(chan struct{}, connectionsMax), exits: map[string]net.Listener{}}
	r.context, r.stop = context.WithCancel(context.Background())
	r.running.Go(func() { r.accept(listener, r.enter) })
	r.running.Go(r.sweep)
	return r, nil
}

// Address is the one at which it listens.
func (r *Relay) Address() string { return r.listener.Addr().String() }

// accept carries each connection that comes, as one does.
func (r *Relay) accept(listener net.Listener, carry func(net.Conn) error) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			if r.context.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			time.Sleep(10 * time.Millisecond) // too many open files, for instance
			continue
		}
		select {
		case r.places <- struct{}{}:
		default:
			conn.Close()
			continue
		}
		r.running.Go(func() {
			defer func() { <-r.places }()
			defer conn.Close()
			stop := context.AfterFunc(r.context, func() { conn.Close() })
			defer stop()
			if err := carry(conn); err != nil && r.context.Err() == nil {
				r.options.Logger.Info("relay: not carried", "peer", conn.RemoteAddr().String(), "error", err)
			}
		})
	}
}

// enter carries what another node brings to an agent of this machine.
func (r *Relay) enter(conn net.Conn) error {
	secure := tls.Server(conn, r.options.TLS)
	secure.SetDeadline(time.Now().Add(dialTime))
	if err := secure.Handshake(); err != nil {
		return err
	}
	line, err := readLine(secure)
	if err != nil {
		return err
	}
	name, ok := strings.CutPrefix(line, greeting)
	path := ""
	if ok && registry.ValidName(name) {
		path = r.options.Local(name)
	}
	if path == "" {
		fmt.Fprintf(secure, "no agent of that name has a socket here\n")
		return fmt.Errorf("no agent %q has a socket here", name)
	}
	agent, err := net.DialTimeout("unix", path, dialTime)
	if err != nil {
		fmt.Fprintf(secure, "the agent is not reached\n")
		return err
	}
	defer agent.Close()
	if _, err := io.WriteString(secure, "ok\n"); err != nil {
		return err
	}
	secure.SetDeadline(time.Time{})
	r.both(secure, agent)
	return nil
}

// Exit is a socket of this machine that leads to an agent of another; empty if there can be none.
func (r *Relay) Exit(agent string) string {
	path := filepath.Join(r.options.Folder, fmt.Sprintf("to-%016x.sock", xxh3.HashString(agent)))
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.exits[agent] != nil:
		return path
	case len(r.exits) >= exitsMax || r.context.Err() != nil:
		return ""
	}
	os.Remove(path)
	listener, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		r.options.Logger.Warn("relay: no socket leads to the agent", "agent", agent, "error", err)
		return ""
	}
	r.exits[agent] = listener
	r.running.Go(func() { r.accept(listener, func(conn net.Conn) error { return r.leave(conn, agent) }) })
	return path
}

// leave carries what a program of this machine has for an agent of another.
func (r *Relay) leave(conn net.Conn, agent string) error {
	at := r.options.Remote(agent)
	if at == "" {
		return fmt.Errorf("no node carries to %q", agent)
	}
	network, err := net.DialTimeout("tcp", at, dialTime)
	if err != nil {
		return err
	}
	defer network.Close()
	stop := context.AfterFunc(r.context, func() { network.Close() })
	defer stop()
	secure := tls.Client(network, r.options.TLS)
	secure.SetDeadline(time.Now().Add(dialTime))
	if _, err := io.WriteString(secure, greeting+agent+"\n"); err != nil {
		return err
	}
	answer, err := readLine(secure)
	if err != nil {
		return err
	}
	if answer != "ok" {
		return fmt.Errorf("%s: %q", at, answer)
	}
	secure.SetDeadline(time.Time{})
	r.both(secure, conn)
	return nil
}

// readLine reads a line, and nothing behind it.
func readLine(r io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); len(line) < lineBytesMax; line = append(line, one[0]) {
		if _, err := io.ReadFull(r, one); err != nil {
			return "", err
		}
		if one[0] == '\n' {
			return string(line), nil
		}
	}
	return "", errors.New("the line does not end")
}

// half is a connection of which one direction can end before the other.
type half interface {
	net.Conn
	CloseWrite() error
}

// both carries both directions until each has ended, or one has failed.
func (r *Relay) both(a, b net.Conn) {
	var running sync.WaitGroup
	for _, way := range [][2]net.Conn{{a, b}, {b, a}} {
		running.Go(func() {
			from, to := way[0], way[1]
			_, err := io.CopyBuffer(meter{to, r.options.Carried}, struct{ io.Reader }{from}, make([]byte, waitingBytes))
			if h, ok := to.(half); ok && err == nil {
				err = h.CloseWrite()
			}
			if err != nil {
				a.Close()
				b.Close()
			}
		})
	}
	running.Wait()
}

// meter tells of written bytes.
type meter struct {
	to      io.Writer
	carried func(int)
}

// Write writes, and tells.
func (c meter) Write(b []byte) (int, error) {
	n, err := c.to.Write(b)
	c.carried(n)
	return n, err
}

// sweep closes sockets that lead nowhere any more.
func (r *Relay) sweep() {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-r.context.Done():
			return
		case <-tick.C:
			r.mu.Lock()
			for agent, listener := range r.exits {
				if r.options.Remote(agent) == "" {
					listener.Close() // which removes its file
					delete(r.exits, agent)
				}
			}
			r.mu.Unlock()
		}
	}
}

// Close ends all that is carried.
func (r *Relay) Close() {
	r.stop()
	r.listener.Close()
	r.mu.Lock()
	for _, listener := range r.exits {
		listener.Close()
	}
	r.mu.Unlock()
	r.running.Wait()
}
