// Package config is how a node is set up: defaults, a file, and flags, of which the later have their
// way.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/serial-data-protocol/sdp/mesh/embedded"
	"github.com/serial-data-protocol/sdp/mesh/registry"
)

// Duration is a time as files and flags have it: "10s".
type Duration time.Duration

// UnmarshalText reads it.
func (d *Duration) UnmarshalText(text []byte) error {
	long, err := time.ParseDuration(string(text))
	*d = Duration(long)
	return err
}

// Config is how a node is set up. Addresses are a host, a colon and a port.
type Config struct {
	// Name is the node's, and another one for each of a mesh.
	Name string `toml:"name"`
	// Data is the folder of the directory and the durable events.
	Data string `toml:"data"`
	// Socket is where programs of this machine connect.
	Socket string `toml:"socket"`
	// Listen is where programs with certificates connect; nowhere if it is empty.
	Listen string `toml:"listen"`
	// Relay is where other nodes have bytes carried; nowhere if it is empty.
	Relay string `toml:"relay"`
	// HTTP is where /healthz and /metrics are; nowhere if it is empty.
	HTTP string `toml:"http"`

	// Join are the addresses by which the nodes of a mesh reach each other, all of them; empty for
	// a node alone. Cluster is this node's among them.
	Join    []string `toml:"join"`
	Cluster string   `toml:"cluster"`
	// NATS is the URL of a server or cluster that is there; then none is embedded.
	NATS            string `toml:"nats"`
	NATSCredentials string `toml:"nats-credentials"`
	NATSAuthority   string `toml:"nats-authority"`

	Certificate string `toml:"cert"`
	Key         string `toml:"key"`
	Authority   string `toml:"authority"`
	Revoked     string `toml:"revoked"`
	Policy      string `toml:"policy"`

	LeaseMin Duration `toml:"lease-min"`
	LeaseMax Duration `toml:"lease-max"`
	// Agents is how many there may be in the whole mesh.
	Agents int `toml:"agents"`
	// EventBytes and EventAge bound the durable events that are kept; the oldest go first.
	EventBytes int64    `toml:"event-bytes"`
	EventAge   Duration `toml:"event-age"`
	// Unsynced lets the system write to disk when it likes: what a power cut then takes was
	// acknowledged.
	Unsynced bool `toml:"unsynced"`
	// Drain is how long requests in flight have to end when the node does.
	Drain Duration `toml:"drain"`

	// LogFormat is text or json; LogLevel debug, info, warn or error.
	LogFormat string `toml:"log-format"`
	LogLevel  string `toml:"log-level"`
}

// Default is the configuration of a node without a file and flags.
func Default() *Config {
	host, _ := os.Hostname()
	name, _, _ := strings.Cut(host, ".")
	if !registry.ValidName(name) {
		name = "node"
	}
	return &Config{
		Name: name, Data: defaultData(), Socket: DefaultSocket(),
		LeaseMin: Duration(time.Second), LeaseMax: Duration(time.Hour), Agents: 100_000,
		EventBytes: 1 << 30, EventAge: Duration(7 * 24 * time.Hour), Drain: Duration(10 * time.Second),
		LogFormat: "text", LogLevel: "info",
	}
}

// HasPipes tells a system whose programs reach their node by a named pipe.
const HasPipes = runtime.GOOS == "windows"

// Address is the node's, for programs of its machine.
func (c *Config) Address() string {
	if HasPipes {
		return "mxp+pipe://" + c.Socket
	}
	return "mxp+unix://" + c.Socket
}

// DefaultSocket is where a program looks for its own node [MESH-1.3]: a path, or the name of a pipe.
func DefaultSocket() string {
	if HasPipes {
		return "sdp-mesh"
	}
	if folder := os.Getenv("XDG_RUNTIME_DIR"); folder != "" {
		return filepath.Join(folder, "sdp-mesh", "node.sock")
	}
	return "/run/sdp-mesh/node.sock"
}

func defaultData() string {
	if os.Geteuid() == 0 {
		return "/var/lib/sdp-mesh"
	}
	if folder := os.Getenv("XDG_STATE_HOME"); folder != "" {
		return filepath.Join(folder, "sdp-mesh")
	}
	if local, err := os.UserCacheDir(); HasPipes && err == nil {
		return filepath.Join(local, "sdp-mesh")
	}
	home, _ := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "sdp-mesh")
}

// Read reads a file over what there is. A key that is unknown is refused.
func (c *Config) Read(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(c); err != nil {
		var strict *toml.StrictMissingError
		if errors.As(err, &strict) {
			return fmt.Errorf("%s:\n%s", file, strict.String())
		}
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Secured reports whether the node has a certificate, and an authority by which it knows others.
func (c *Config) Secured() bool { return c.Certificate != "" }

// Check refuses impossible nodes [MESH-1.2].
func (c *Config) Check() error {
	if !registry.ValidName(c.Name) {
		return fmt.Errorf("the name %q is none: letters, digits, - and _, with dots between them", c.Name)
	}
	if given := c.Certificate != ""; given != (c.Key != "") || given != (c.Authority != "") {
		return errors.New("cert, key and authority belong together: give all three, or none")
	}
	if c.Revoked != "" && !c.Secured() {
		return errors.New("revoked is the list of an authority: give authority, cert and key, too")
	}
	if c.NATS != "" && len(c.Join) > 0 {
		return errors.New("join makes a cluster of the nodes, and nats uses one that is there: give one of them")
	}
	if !HasPipes && !filepath.IsAbs(c.Socket) {
		return fmt.Errorf("socket is %q, and has to be an absolute path", c.Socket)
	}
	if HasPipes && c.Relay != "" {
		return errors.New("relay is for systems with unix sockets: agents of this machine listen for others by TLS")
	}
	if c.LeaseMin < Duration(time.Second) || c.LeaseMax < c.LeaseMin {
		return errors.New("lease-min is at least 1s, and lease-max no less")
	}
	if c.Agents < 1 || c.EventBytes < 1<<20 || c.EventAge < Duration(time.Minute) {
		return errors.New("agents is at least 1, event-bytes 1048576, event-age 1m")
	}
	return c.checkReach()
}

// checkReach refuses to be reached by other machines without certificates.
func (c *Config) checkReach() error {
	for _, one := range []struct{ key, at string }{{"listen", c.Listen}, {"relay", c.Relay}, {"http", c.HTTP}, {"cluster", c.Cluster}} {
		if one.at == "" {
			continue
		}
		host, _, err := net.SplitHostPort(one.at)
		if err != nil {
			return fmt.Errorf("%s is %q, and has to be a host, a colon and a port", one.key, one.at)
		}
		if one.key == "http" || c.Secured() {
			continue // which tells numbers, and no names
		}
		if one.key != "cluster" {
			return fmt.Errorf("%s %s needs certificates, by which the node and its peers know each other: make them by `sdp-mesh ca`, and set cert, key and authority", one.key, one.at)
		}
		if !embedded.IsLoopback(host) {
			return fmt.Errorf("cluster %s can be reached by other machines, and there are no certificates: make them by `sdp-mesh ca`, and give cert, key and authority", one.at)
		}
	}
	if len(c.Join) > 0 && c.Cluster == "" {
		return errors.New("join needs cluster, the address of this node among the joined addresses")
	}
	if c.Cluster != "" && len(c.Join) == 0 {
		return errors.New("cluster is this node's address, one of the addresses of join: set join, too")
	}
	return nil
}
