package mxp

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"net"
	"syscall"
)

// Peer is the other side of a connection, as the transport tells. Whoever is given one
// only reads it.
type Peer struct {
	// Address is that of failures and logs: which a client has connected to, or from which
	// one has. A unix socket's clients have none: it is the socket's.
	Address string
	// Transport is "unix", "tcp" or "tls"; of a connection that a function of the user's has
	// made, the network that it names.
	Transport string
	// Process is the one at the other end of a unix socket; nil where the system doesn't tell.
	Process *Process
	// Certificate is that of the peer, if TLS has verified its chain; else nil.
	Certificate *Certificate
}

// Process is a running program of this machine. What the system doesn't tell is −1.
type Process struct{ User, Group, ID int }

// Certificate is who a verified certificate is for.
type Certificate struct {
	// Subject is its distinguished name, as RFC 4514 writes it: "CN=mixer,O=Desk".
	Subject                string
	DNSNames, URIs, Emails []string
	// Serial is its number, SHA256 the hash of the whole, both in lower-case hexadecimal.
	Serial, SHA256 string
}

// peerAt is who is at the other end. Of a unix socket it also says why the system doesn't
// tell.
func peerAt(network net.Conn, address string) (*Peer, error) {
	p := &Peer{Address: address}
	if secure, is := network.(*tls.Conn); is {
		p.Transport = "tls"
		if chains := secure.ConnectionState().VerifiedChains; len(chains) > 0 {
			p.Certificate = certificateOf(chains[0][0])
		}
		return p, nil
	}
	if at := network.LocalAddr(); at != nil {
		p.Transport = at.Network()
	}
	socket, is := network.(syscall.Conn) // also one that a listener of the user's has wrapped
	if !is || p.Transport != "unix" {
		return p, nil
	}
	var err error
	p.Process, err = processAt(socket)
	return p, err
}

func certificateOf(c *x509.Certificate) *Certificate {
	hash := sha256.Sum256(c.Raw)
	identity := &Certificate{
		Subject: c.Subject.String(), DNSNames: c.DNSNames, Emails: c.EmailAddresses,
		Serial: c.SerialNumber.Text(16), SHA256: hex.EncodeToString(hash[:]),
	}
	for _, one := range c.URIs {
		identity.URIs = append(identity.URIs, one.String())
	}
	return identity
}
