package mxp

import (
	"fmt"
	"net"
	"net/url"
)

// address is where a peer is.
type address struct {
	network string // of package net
	place   string
	tls     bool
	host    string // that the certificate has to name
}

// parseAddress reads mxp+unix:///path, mxp+tcp://host:port or mxp+tls://host:port.
func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	if err != nil {
		return address{}, fmt.Errorf("mxp: %w", err)
	}
	switch u.Scheme {
	case "mxp+unix":
		if u.Host != "" || u.Path == "" {
			return address{}, fmt.Errorf("mxp: %q has no absolute path, as in mxp+unix:///run/x.sock", text)
		}
		return address{network: "unix", place: u.Path}, nil
	case "mxp+tcp", "mxp+tls":
		host, port, err := net.SplitHostPort(u.Host)
		if err != nil || port == "" || u.Path != "" {
			return address{}, fmt.Errorf("mxp: %q has no host and port, as in %s://host:9000", text, u.Scheme)
		}
		return address{network: "tcp", place: u.Host, tls: u.Scheme == "mxp+tls", host: host}, nil
	}
	return address{}, fmt.Errorf("mxp: %q is none of mxp+unix, mxp+tcp and mxp+tls", text)
}
