package authority

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/registry"
)

// nodeScheme is that of the URI in the certificates of nodes. Nobody else is given one.
const nodeScheme = "mxp-node"

// Request is the wanted content of a certificate.
type Request struct {
	// Name is the common name. Of a program it is its identity, unless there are URIs.
	Name string
	// Node makes it a node's: one that may be of the cluster, and carry bytes for others.
	Node bool
	// Hosts are the names and addresses under which a server with the certificate is reached.
	Hosts []string
	URIs  []string
	Lasts time.Duration
}

// Certificate is a certificate that was issued.
type Certificate struct {
	Serial  string     `json:"serial"`
	Name    string     `json:"name"`
	Node    bool       `json:"node"`
	URIs    []string   `json:"uris,omitempty"`
	Hosts   []string   `json:"hosts,omitempty"`
	Until   time.Time  `json:"until"`
	Revoked *time.Time `json:"revoked,omitempty"`
}

// Issue makes a certificate and its key in a folder, in files with the name and the endings .pem and
// .key. There must be none.
func (a *Authority) Issue(folder string, r Request) (*Certificate, error) {
	if !registry.ValidName(r.Name) {
		return nil, fmt.Errorf("%q can't be the name of a certificate: letters, digits, - and _, with dots between them", r.Name)
	}
	template, err := a.template(&r)
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	file := filepath.Join(folder, r.Name)
	if err := writeKey(file+".key", key); err != nil {
		return nil, err
	}
	if err := writePEM(file+".pem", "CERTIFICATE", der, 0o644, os.O_EXCL); err != nil {
		return nil, err
	}
	issued := Certificate{Serial: template.SerialNumber.Text(16), Name: r.Name, Node: r.Node, URIs: r.URIs, Hosts: r.Hosts, Until: template.NotAfter}
	list, err := a.List()
	if err != nil {
		return nil, err
	}
	return &issued, a.note(append(list, issued))
}

func (a *Authority) template(r *Request) (*x509.Certificate, error) {
	now := time.Now()
	t := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: r.Name}, NotBefore: now.Add(-time.Minute), NotAfter: now.Add(r.Lasts),
		KeyUsage: x509.KeyUsageDigitalSignature, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	if t.NotAfter.After(a.certificate.NotAfter) {
		t.NotAfter = a.certificate.NotAfter
	}
	for _, host := range r.Hosts {
		if ip := net.ParseIP(host); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, host)
		}
	}
	if r.Node {
		t.URIs = append(t.URIs, &url.URL{Scheme: nodeScheme, Opaque: r.Name})
	}
	for _, text := range r.URIs {
		uri, err := url.Parse(text)
		if err != nil || uri.Scheme == "" {
			return nil, fmt.Errorf("%q is no URI with a scheme", text)
		}
		if strings.EqualFold(uri.Scheme, nodeScheme) {
			return nil, fmt.Errorf("%q: URIs of that scheme belong to nodes", text)
		}
		t.URIs = append(t.URIs, uri)
	}
	return t, nil
}

// List gives the certificates that were issued.
func (a *Authority) List() (list []Certificate, err error) {
	text, err := os.ReadFile(a.file(issuedFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", a.file(issuedFile), err)
	}
	return list, nil
}

func (a *Authority) note(list []Certificate) error {
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return replace(a.file(issuedFile), append(text, '\n'), 0o600)
}

// Revoke puts the certificates with a name, or with a serial number in hexadecimal, on the list of
// certificates that nodes let in no more, and returns them.
func (a *Authority) Revoke(name string) (revoked []Certificate, err error) {
	list, err := a.List()
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC().Truncate(time.Second)
	for i := range list {
		one := &list[i]
		if one.Revoked == nil && (one.Name == name || strings.EqualFold(one.Serial, name)) {
			one.Revoked = &now
			revoked = append(revoked, *one)
		}
	}
	if len(revoked) == 0 {
		return nil, fmt.Errorf("no certificate that is not revoked has the name or the number %q", name)
	}
	if err := a.revoke(list); err != nil {
		return nil, err
	}
	return revoked, a.note(list)
}

// revoke writes the list of revoked certificates.
func (a *Authority) revoke(list []Certificate) error {
	now := time.Now()
	template := &x509.RevocationList{Number: big.NewInt(now.UnixNano()), ThisUpdate: now, NextUpdate: a.certificate.NotAfter}
	for _, one := range list {
		number, ok := new(big.Int).SetString(one.Serial, 16)
		if !ok {
			return fmt.Errorf("%s: %q is no serial number", a.file(issuedFile), one.Serial)
		}
		if one.Revoked != nil {
			template.RevokedCertificateEntries = append(template.RevokedCertificateEntries, x509.RevocationListEntry{SerialNumber: number, RevocationTime: *one.Revoked})
		}
	}
	der, err := x509.CreateRevocationList(rand.Reader, template, a.certificate, a.key)
	if err != nil {
		return err
	}
	return writePEM(a.file(RevokedFile), "X509 CRL", der, 0o644, os.O_TRUNC)
}
