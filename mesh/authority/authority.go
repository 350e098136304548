// Package authority makes the certificates by which the nodes of a mesh and its programs know each
// other, and checks them. An authority is a folder with a key, a certificate, a list of the revoked
// certificates, and a list of all issued ones; nodes need the certificate and the list of revoked.
package authority

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// Files of an authority, in its folder.
const (
	CertificateFile = "authority.pem"
	KeyFile         = "authority.key"
	RevokedFile     = "revoked.pem"
	issuedFile      = "issued.json"
)

// lasts is how long the certificate of an authority does.
const lasts = 10 * 365 * 24 * time.Hour

// Authority signs certificates.
type Authority struct {
	folder      string
	key         crypto.Signer
	certificate *x509.Certificate
}

// Create makes an authority in a folder that has none.
func Create(folder, name string) (*Authority, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-time.Minute), NotAfter: now.Add(lasts),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	a := &Authority{folder, key, certificate}
	if err := writeKey(a.file(KeyFile), key); err != nil { // which fails where there is one
		return nil, err
	}
	if err := writePEM(a.file(CertificateFile), "CERTIFICATE", der, 0o644, os.O_EXCL); err != nil {
		return nil, err
	}
	return a, a.revoke(nil)
}

// Open reads the authority of a folder.
func Open(folder string) (*Authority, error) {
	a := &Authority{folder: folder}
	certificate, err := readCertificate(a.file(CertificateFile))
	if err != nil {
		return nil, fmt.Errorf("%w; `sdp-mesh ca init` makes an authority", err)
	}
	block, err := readPEM(a.file(KeyFile), "PRIVATE KEY")
	if err != nil {
		return nil, err
	}
	key, err := x509.ParsePKCS8PrivateKey(block)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.file(KeyFile), err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%s has a key that can't sign", a.file(KeyFile))
	}
	a.key, a.certificate = signer, certificate
	return a, nil
}

func (a *Authority) file(name string) string { return filepath.Join(a.folder, name) }

func serial() *big.Int {
	number, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		panic(err) // the system has no random numbers
	}
	return number.Add(number, big.NewInt(1))
}

func writeKey(file string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(file, "PRIVATE KEY", der, 0o600, os.O_EXCL)
}

// writePEM writes a file of one block: anew, or by os.O_EXCL only where there is none.
func writePEM(file, kind string, der []byte, mode os.FileMode, flag int) error {
	text := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	if flag == os.O_EXCL {
		to, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return err
		}
		_, err = to.Write(text)
		return errors.Join(err, to.Close())
	}
	return replace(file, text, mode)
}

// replace writes a file so that a reader sees all of the old one or all of the new.
func replace(file string, text []byte, mode os.FileMode) error {
	to, err := os.CreateTemp(filepath.Dir(file), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(to.Name())
	_, err = to.Write(text)
	if err = errors.Join(err, to.Chmod(mode), to.Sync(), to.Close()); err != nil {
		return err
	}
	return os.Rename(to.Name(), file)
}

func readPEM(file, kind string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != kind {
		return nil, fmt.Errorf("%s has no %s in PEM", file, kind)
	}
	return block.Bytes, nil
}

func readCertificate(file string) (*x509.Certificate, error) {
	der, err := readPEM(file, "CERTIFICATE")
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return certificate, nil
}
