package authority

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// Files are the files by which a node knows others, and by which others know it.
type Files struct {
	// Certificate and Key are the node's own.
	Certificate, Key string
	// Authority has the certificates of the authorities whose certificates are let in.
	Authority string
	// Revoked is the authority's list of revoked certificates; empty if it has none.
	Revoked string
}

// Trust checks certificates by files, which may be read anew at any time.
type Trust struct {
	files Files
	now   atomic.Pointer[trustStore]
	live  live
}

// trustStore is the content of the files.
type trustStore struct {
	own         tls.Certificate
	pool        *x509.CertPool
	revoked     map[string]bool // by serial numbers
	authorities []*x509.Certificate
}

// Load reads the files.
func Load(files Files) (*Trust, error) {
	t := &Trust{files: files}
	return t, t.Reload()
}

// Files are the files that are read.
func (t *Trust) Files() Files { return t.files }

// Reload reads the files anew, and closes the connections of programs whose certificates are revoked
// by then. Where a file is wrong, all stays as it was.
func (t *Trust) Reload() error {
	now, err := read(t.files)
	if err == nil {
		t.now.Store(now)
		t.live.cut(now.revoked)
	}
	return err
}

func read(files Files) (*trustStore, error) {
	own, err := tls.LoadX509KeyPair(files.Certificate, files.Key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", files.Certificate, files.Key, err)
	}
	authority, err := readCertificate(files.Authority)
	if err != nil {
		return nil, err
	}
	if !authority.IsCA {
		return nil, fmt.Errorf("%s is not the certificate of an authority", files.Authority)
	}
	t := &trustStore{own: own, pool: x509.NewCertPool(), revoked: map[string]bool{}, authorities: []*x509.Certificate{authority}}
	t.pool.AddCert(authority)
	if files.Revoked == "" {
		return t, nil
	}
	der, err := readPEM(files.Revoked, "X509 CRL")
	if err != nil {
		return nil, err
	}
	list, err := x509.ParseRevocationList(der)
	if err == nil {
		err = list.CheckSignatureFrom(authority)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files.Revoked, err)
	}
	for _, one := range list.RevokedCertificateEntries {
		t.revoked[one.SerialNumber.Text(16)] = true
	}
	return t, nil
}

// Why a certificate is not let in, beside what crypto/x509 says.
var (
	ErrMissing = errors.New("it shows no certificate")
	ErrRevoked = errors.New("its certificate is revoked")
	ErrNoNode  = errors.New("its certificate is not a node's")
)

// check refuses peers that are not let in [MESH-6.2].
func (t *Trust) check(state tls.ConnectionState) error {
	if len(state.PeerCertificates) == 0 {
		return ErrMissing
	}
	now := t.now.Load()
	leaf := state.PeerCertificates[0]
	others := x509.NewCertPool()
	for _, one := range state.PeerCertificates[1:] {
		others.AddCert(one)
	}
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: now.pool, Intermediates: others, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}); err != nil {
		return err
	}
	if now.revoked[leaf.SerialNumber.Text(16)] {
		return ErrRevoked
	}
	return nil
}

// Revoked reports whether a serial number, in hexadecimal, is on the list of the revoked.
func (t *Trust) Revoked(serial string) bool { return t.now.Load().revoked[serial] }

// checkNode refuses peers that are not let in as nodes.
func (t *Trust) checkNode(state tls.ConnectionState) error {
	if err := t.check(state); err != nil {
		return err
	}
	for _, uri := range state.PeerCertificates[0].URIs {
		if uri.Scheme == nodeScheme {
			return nil
		}
	}
	return ErrNoNode
}

// Programs is for a server to which programs connect.
func (t *Trust) Programs() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			now := t.now.Load()
			check := func(state tls.ConnectionState) error {
				if len(state.PeerCertificates) > 0 { // before it is checked, so that no list comes in between
					t.live.add(hello.Conn, state.PeerCertificates[0].SerialNumber.Text(16))
				}
				return t.check(state)
			}
			return &tls.Config{
				MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{now.own},
				ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: now.pool, VerifyConnection: check,
				SessionTicketsDisabled: true, // what is resumed is not checked anew
			}, nil
		},
	}
}

// Nodes is for connections between nodes, in both directions. A peer that shows a node's certificate
// of the authority is a node, under any name of its host.
func (t *Trust) Nodes() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true,
		GetCertificate:       func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &t.now.Load().own, nil },
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &t.now.Load().own, nil },
		// Chains are checked by checkNode, by the authority as it is then.
		ClientAuth: tls.RequireAnyClientCert, InsecureSkipVerify: true, VerifyConnection: t.checkNode,
	}
}

// Stamp tells whether files have changed: it is another where one of them is. Files that are not
// there count, too.
func Stamp(files ...string) (stamp string) {
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			stamp += fmt.Sprint(info.ModTime().UnixNano(), info.Size(), ",")
		} else {
			stamp += time.Time{}.String()
		}
	}
	return stamp
}
