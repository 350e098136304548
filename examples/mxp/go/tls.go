package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
)

// serverTLS is what mxp+tls:// needs of a server: the files of its certificate and key.
func serverTLS() (*tls.Config, error) {
	file := os.Getenv("MXP_DEMO_CERTIFICATE")
	if file == "" {
		return nil, nil
	}
	certificate, err := tls.LoadX509KeyPair(file, os.Getenv("MXP_DEMO_KEY"))
	return &tls.Config{Certificates: []tls.Certificate{certificate}}, err
}

// clientTLS is what mxp+tls:// needs of a client: the file of the authority that it trusts.
func clientTLS() (*tls.Config, error) {
	file := os.Getenv("MXP_DEMO_AUTHORITY")
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate", file)
	}
	return &tls.Config{RootCAs: roots}, nil
}
