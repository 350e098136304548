package peer

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

// Address is where a server listens: a transport's scheme and its place.
type Address struct{ Scheme, Place string }

// ParseAddress takes an address apart.
func ParseAddress(text string) (Address, error) {
	scheme, place, found := strings.Cut(strings.TrimPrefix(text, "mxp+"), "://")
	if !found || place == "" || !strings.HasPrefix(text, "mxp+") {
		return Address{}, fmt.Errorf("%q is no address, as mxp+unix:///tmp/echo.sock is one", text)
	}
	switch scheme {
	case "unix", "tcp", "tls", "shm", "ws", "wss":
		return Address{scheme, place}, nil
	}
	return Address{}, fmt.Errorf("%q: unix, tcp, tls, shm, ws and wss are tested", text)
}

func (a Address) String() string { return "mxp+" + a.Scheme + "://" + a.Place }

// socket connects to the socket below an address.
func (a Address) socket() (net.Conn, error) {
	switch a.Scheme {
	case "unix", "shm":
		return net.DialTimeout("unix", a.Place, patience)
	}
	host, _, _ := strings.Cut(a.Place, "/")
	return net.DialTimeout("tcp", host, patience)
}

// Authorities reads the certificates of a file.
func Authorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate", file)
	}
	return pool, nil
}

// channel connects to the socket, and speaks TLS on it where the scheme has that.
func (a Address) channel(roots *x509.CertPool) (net.Conn, error) {
	conn, err := a.socket()
	if err != nil || !a.isSecure() {
		return conn, err
	}
	host, _, _ := strings.Cut(a.Place, "/")
	name, _, _ := net.SplitHostPort(host)
	secure := tls.Client(conn, &tls.Config{RootCAs: roots, ServerName: name})
	conn.SetDeadline(time.Now().Add(patience))
	if err := secure.Handshake(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	conn.SetDeadline(time.Time{})
	return secure, nil
}

func (a Address) isSecure() bool { return a.Scheme == "tls" || a.Scheme == "wss" }

func (a Address) isWeb() bool { return a.Scheme == "ws" || a.Scheme == "wss" }

// dial opens a connection, up to where the frames of a session begin.
func (a Address) dial(roots *x509.CertPool) (net.Conn, error) {
	conn, err := a.channel(roots)
	switch {
	case err != nil:
		return nil, err
	case a.isWeb():
		host, path, _ := strings.Cut(a.Place, "/")
		return openSocket(conn, host, "/"+path)
	case a.Scheme == "shm":
		return openShared(conn, ringBytes)
	}
	return conn, nil
}
