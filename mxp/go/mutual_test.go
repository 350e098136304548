package mxp_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{certificate: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:  x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}, key: key}
	signed, err := x509.CreateCertificate(rand.Reader, a.certificate, a.certificate, &key.PublicKey, key)
	if err == nil {
		a.certificate, err = x509.ParseCertificate(signed)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// leaf is a certificate to be signed, for a name.
func leaf(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(0xabcdef), Subject: pkix.Name{CommonName: "mixer", Organization: []string{"Desk, Inc."}},
		DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		EmailAddresses: []string{"mixer@desk.example"}, URIs: []*url.URL{{Scheme: "spiffe", Host: "desk", Path: "/mixer"}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
}

func (a *authority) issue(t *testing.T, template *x509.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
}

// server is a configuration that wants certificates of this authority.
func (a *authority) server(t *testing.T) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{a.issue(t, leaf("localhost"))}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: a.pool()}
}

// client is one that shows certificates.
func (a *authority) client(t *testing.T, own ...tls.Certificate) *tls.Config {
	config := &tls.Config{RootCAs: a.pool()}
	if len(own) > 0 { // whatever authorities the server names
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own[0], nil }
	}
	return config
}

// revokes is a list of certificates that are no good any more.
func (a *authority) revokes(t *testing.T, serials ...int64) []byte {
	t.Helper()
	list := &x509.RevocationList{Number: big.NewInt(1), ThisUpdate: time.Now(), NextUpdate: time.Now().Add(time.Hour)}
	for _, serial := range serials {
		list.RevokedCertificateEntries = append(list.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: big.NewInt(serial), RevocationTime: time.Now()})
	}
	signed, err := x509.CreateRevocationList(rand.Reader, list, a.certificate, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// notRevoked refuses certificates that are in a list of an authority's.
func notRevoked(der []byte, authority *x509.Certificate) (func(tls.ConnectionState) error, error) {
	list, err := x509.ParseRevocationList(der)
	if err == nil {
		err = list.CheckSignatureFrom(authority)
	}
	if err != nil {
		return nil, err
	}
	return func(state tls.ConnectionState) error {
		if time.Now().After(list.NextUpdate) {
			return errors.New("the revocation list is too old")
		}
		shown := state.PeerCertificates[0].SerialNumber
		for _, one := range list.RevokedCertificateEntries {
			if one.SerialNumber.Cmp(shown) == 0 {
				return fmt.Errorf("the certificate %x is revoked", shown)
			}
		}
		return nil
	}, nil
}

// Only who has a certificate that is signed by the server's authority, valid, not revoked
// and of a name that is known may ask.
func TestMutualTLS(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	services, _ := asked()
	var handled atomic.Int64
	services.Intercept(func(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
		handled.Add(1)
		return next(ctx, r)
	})
	config := a.server(t)
	var err error
	if config.VerifyConnection, err = notRevoked(a.revokes(t, 77), a.certificate); err != nil {
		t.Fatal(err)
	}
	_, at := open(t, "tls", mxp.ServerOptions{Services: services, TLS: config, Admit: func(_ context.Context, p *mxp.Peer) error {
		if !slices.Contains(p.Certificate.DNSNames, "mixer.example") {
			return fmt.Errorf("%s is not known", p.Certificate.Subject)
		}
		return nil
	}})
	expired, revoked := leaf("mixer.example"), leaf("mixer.example")
	expired.NotAfter = time.Now().Add(-time.Minute)
	revoked.SerialNumber = big.NewInt(77)
	for _, one := range []struct {
		name   string
		client *tls.Config
		status session.Status
	}{
		{"good", a.client(t, a.issue(t, leaf("mixer.example"))), session.StatusOK},
		{"none", a.client(t), session.StatusFailedPrecondition},
		{"another authority's", a.client(t, other.issue(t, leaf("mixer.example"))), session.StatusFailedPrecondition},
		{"expired", a.client(t, a.issue(t, expired)), session.StatusFailedPrecondition},
		{"revoked", a.client(t, a.issue(t, revoked)), session.StatusFailedPrecondition},
		{"another name", a.client(t, a.issue(t, leaf("player.example"))), session.StatusPermissionDenied},
		{"of a client that trusts another authority", other.client(t, a.issue(t, leaf("mixer.example"))), session.StatusFailedPrecondition},
	} {
		handled.Store(0)
		client := dialled(t, at, mxp.ClientOptions{TLS: one.client, ConnectTimeout: time.Minute})
		_, err := client.Call(within(t, patience*10*time.Second), "demo.Who", 1, nil)
		client.Close()
		if one.status == session.StatusOK {
			if err != nil || handled.Load() != 1 {
				t.Errorf("%s: %v, handled %d times", one.name, err, handled.Load())
			}
			continue
		}
		var f *mxp.Failure
		if !errors.As(err, &f) || f.Status != one.status || f.Acted || handled.Load() != 0 {
			t.Errorf("%s: %v, handled %d times", one.name, err, handled.Load())
		}
	}
	if _, err := notRevoked(other.revokes(t), a.certificate); err == nil {
		t.Error("another authority's list is taken")
	}
}
