// Package embedded runs the NATS server that a node brings along: alone, or as one of a cluster.
// It keeps streams of JetStream in a folder, and takes no clients but its own process.
package embedded

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Options are what a server is made with.
type Options struct {
	// Name is the server's, and another one for each of a cluster.
	Name string
	// Folder is where it keeps its streams.
	Folder string
	// Cluster is the address, host and port, by which the others of a cluster reach this
	// server; empty for a server alone. Peers are the addresses of all servers, with this one's.
	Cluster string
	Peers   []string
	// TLS is for connections between the servers of a cluster, in both directions. Without it
	// Cluster and Peers can only be of this machine.
	TLS *tls.Config
	// Unsynced lets the system write to disk when it likes: for tests, in which power stays on.
	Unsynced bool
	Logger   *slog.Logger
}

// Server is a NATS server that runs.
type Server struct {
	server *server.Server
	name   string
	word   string // that clients say
}

// clusterName is that of the cluster of a mesh.
const clusterName = "sdp-mesh"

// startSeconds is how long a server may take until it accepts connections, on a machine that is busy.
const startSeconds = 30

// payloadBytesMax is the size of the largest message: the largest event, and the parts around it.
const payloadBytesMax = 1 << 20

// Start starts a server, which may have no cluster yet when it returns.
func Start(o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	options := &server.Options{
		ServerName: o.Name, DontListen: true, NoSigs: true, NoLog: true, MaxPayload: payloadBytesMax,
		JetStream: true, StoreDir: o.Folder, SyncAlways: !o.Unsynced, DisableJetStreamBanner: true,
		// A reader that is slow is the node's own, which drops and counts by itself.
		MaxPending: 64 << 20,
	}
	if err := mode(o.Folder, o.Cluster != ""); err != nil {
		return nil, err
	}
	// A server of a cluster has to listen for clients: with a word that only this process knows.
	word := rand.Text()
	if o.Cluster != "" {
		options.DontListen, options.Host, options.Port, options.Authorization = false, "127.0.0.1", server.RANDOM_PORT, word
		if err := o.join(options); err != nil {
			return nil, err
		}
	}
	s, err := server.NewServer(options)
	if err != nil {
		return nil, fmt.Errorf("the embedded NATS server: %w", err)
	}
	l := &logger{to: o.Logger, fatal: make(chan string, 1)}
	s.SetLogger(l, false, false)
	s.Start()
	started := make(chan bool, 1)
	go func() { started <- s.ReadyForConnections(startSeconds * time.Second) }()
	select {
	case ready := <-started:
		if ready {
			return &Server{server: s, name: o.Name, word: word}, nil
		}
		err = fmt.Errorf("the embedded NATS server has not started within %d s: see its log above", startSeconds)
	case reason := <-l.fatal:
		err = fmt.Errorf("the embedded NATS server does not start: %s", reason)
	}
	s.Shutdown()
	return nil, err
}

// join makes a server one of a cluster.
func (o *Options) join(target *server.Options) error {
	host, port, err := hostPort(o.Cluster)
	if err != nil {
		return err
	}
	peers := o.Peers
	if !contains(peers, o.Cluster) {
		peers = append([]string{o.Cluster}, peers...)
	}
	for _, peer := range peers {
		peerHost, peerPort, err := hostPort(peer)
		if err != nil {
			return err
		}
		if o.TLS == nil && !(IsLoopback(host) && IsLoopback(peerHost)) {
			return fmt.Errorf("the cluster of %s and %s leaves this machine, and there are no certificates: make them by `sdp-mesh ca`, and name them by --cert, --key and --authority", o.Cluster, peer)
		}
		// As many routes as there are servers: so many are expected in the cluster.
		target.Routes = append(target.Routes, &url.URL{Scheme: "nats-route", Host: net.JoinHostPort(peerHost, fmt.Sprint(peerPort))})
	}
	target.Cluster = server.ClusterOpts{
		Name: clusterName, Host: host, Port: port, TLSConfig: o.TLS, TLSTimeout: 5, AuthTimeout: 5,
		NoAdvertise: true, ConnectRetries: 1 << 30, PingInterval: 2 * time.Second, MaxPingsOut: 2, PoolSize: -1,
	}
	return nil
}

func contains(list []string, name string) bool {
	for _, other := range list {
		if strings.EqualFold(other, name) {
			return true
		}
	}
	return false
}

func hostPort(address string) (string, int, error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		var port int
		if port, err = net.LookupPort("tcp", text); err == nil && host != "" {
			return host, port, nil
		}
	}
	return "", 0, fmt.Errorf("%q is no host and port", address)
}

// IsLoopback reports whether a host is this machine to itself, and no other can reach it.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// mode notes in a new folder whether its streams are the streams of a server alone or of a cluster,
// and refuses an old one of the other kind, whose streams the server would pass over.
func mode(folder string, cluster bool) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	wants, other := "alone", "in a cluster"
	if cluster {
		wants, other = other, wants
	}
	file := filepath.Join(folder, "mode")
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return keep(file, wants+"\n")
	case err != nil:
		return err
	case strings.TrimSpace(string(text)) != wants:
		return fmt.Errorf("%s has what a node kept that ran %s, and this one is to run %s: give it another folder by --data, or remove this one with all durable events in it", folder, other, wants)
	}
	return nil
}

// keep writes a small file that is there in full, or not at all, also after a power cut.
func keep(file, text string) (err error) {
	made, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file))
	if err != nil {
		return err
	}
	defer os.Remove(made.Name()) // which has another name then, if all went well
	_, err = made.WriteString(text)
	if err = errors.Join(err, made.Sync(), made.Close()); err != nil {
		return err
	}
	if err = os.Rename(made.Name(), file); err != nil || runtime.GOOS == "windows" { // which syncs no folders
		return err
	}
	folder, err := os.Open(filepath.Dir(file))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Connect makes a connection of this process to the server.
func (s *Server) Connect(options ...nats.Option) (*nats.Conn, error) {
	return nats.Connect("", append([]nats.Option{nats.InProcessServer(s.server), nats.Name(s.name), nats.Token(s.word), nats.MaxReconnects(-1)}, options...)...)
}

// Peers is how many other servers of the cluster this one is connected to.
func (s *Server) Peers() int { return s.server.NumRoutes() }

// Close ends the server; what it leads in its cluster others lead then.
func (s *Server) Close() {
	s.server.Shutdown()
	s.server.WaitForShutdown()
}
