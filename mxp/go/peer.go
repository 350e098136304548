package mxp

import (
	"net"
	"strconv"
)

// Peer is the other side of a connection, as the transport tells. A holder of a Peer only reads it.
type Peer struct {
	// Address is that of failures and logs: which a client has connected to, or from which
	// one has. A unix socket's clients have none: it is the socket's.
	Address string
	// Transport is the scheme of the connection's, such as "unix", "shm", "tcp" or "tls"; of a
	// connection that is of none, the network that it names.
	Transport string
	// Process is the one at the other end of a unix socket or a named pipe; nil where the system
	// doesn't tell.
	Process *Process
	// Certificate is that of the peer, if TLS has verified its chain; else nil.
	Certificate *Certificate
}

// Process is a running program of this machine. A number that the system doesn't tell is −1.
type Process struct {
	User, Group, ID int
	// SID is the user where users have no numbers, on Windows: "S-1-5-21-…". Else it is empty.
	SID string
}

// account is a user, as the system knows it: by a number or by a SID.
type account struct {
	number int
	sid    string
}

func (p *Process) account() account { return account{p.User, p.SID} }

func (a account) String() string {
	if a.sid != "" {
		return a.sid
	}
	return strconv.Itoa(a.number)
}

// Certificate holds the names, the serial number and the hash of a verified certificate.
type Certificate struct {
	// Subject is its distinguished name, as RFC 4514 writes it: "CN=mixer,O=Desk".
	Subject                string
	DNSNames, URIs, Emails []string
	// Serial is its number, SHA256 the hash of the whole, both in lower-case hexadecimal.
	Serial, SHA256 string
}

// peerAt is the peer at the other end, and the error if a needed part of it is unknown.
func peerAt(network net.Conn) (*Peer, error) {
	transport, name := transportOf(network)
	p := &Peer{Transport: name}
	if at := network.RemoteAddr(); at != nil {
		p.Address = addressOf(name, at.String())
	}
	if transport == nil || transport.Identify == nil {
		return p, nil
	}
	err := transport.Identify(network, p)
	return p, err
}

// addressAt is that of the other end.
func addressAt(network net.Conn) string {
	peer, _ := peerAt(network)
	return peer.Address
}
