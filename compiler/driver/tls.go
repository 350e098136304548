package driver

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// secured is the address of a call, and how it is encrypted: by which authorities the server's
// certificate may be signed, and the client's own certificate. Nil means the authorities of the
// system, and no certificate.
func secured(options CallOptions) (at string, config *tls.Config, err error) {
	at = options.Address
	if err := dialable(at); err != nil {
		return at, nil, err
	}
	flag := ""
	switch {
	case options.Cert == "" && options.Key != "":
		return at, nil, usagef("--key is there without --cert").withHelp("--cert names the certificate that the key is for")
	case options.Cert != "" && options.Key == "":
		return at, nil, usagef("--cert is there without --key").withHelp("--key names the certificate's key")
	case options.CA != "":
		flag = "--ca"
	case options.Cert != "":
		flag = "--cert"
	default:
		return at, nil, nil
	}
	if address, err := mxp.ParseAddress(at); err == nil && !address.Transport.Protects.Encryption {
		return at, nil, usagef("%s is for %s, and the address is %s", flag, EncryptingSchemes(), at)
	}
	config = &tls.Config{MinVersion: tls.VersionTLS12}
	if options.CA != "" {
		if config.RootCAs, err = authorities(options.CA); err != nil {
			return at, nil, err
		}
	}
	if options.Cert != "" {
		own, err := tls.LoadX509KeyPair(options.Cert, options.Key)
		if err != nil {
			return at, nil, usagef("cannot read the certificate and its key: %v", err)
		}
		// It is shown also to a server whose authorities did not issue it, which then says so.
		config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own, nil }
	}
	return at, config, nil
}

// authorities are the certificates of a file.
func authorities(file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, usagef("cannot read the certificates: %v", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, usagef("%s has no certificate in PEM", file)
	}
	return pool, nil
}
