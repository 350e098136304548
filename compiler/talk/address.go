package talk

import (
	"fmt"
	"net"
	"net/url"
)

// Address is where a peer is, or is to be.
type Address struct {
	Network string // of package net: unix or tcp
	Place   string
	TLS     bool
}

// AddressError says that a text is no address.
type AddressError struct{ Message string }

// Error is the message.
func (e *AddressError) Error() string { return e.Message }

// ParseAddress reads mxp+unix:///path, mxp+tcp://host:port or mxp+tls://host:port.
// An error is an *AddressError.
func ParseAddress(text string) (Address, error) {
	refuse := func(format string, args ...any) (Address, error) {
		return Address{}, &AddressError{fmt.Sprintf("%q "+format, append([]any{text}, args...)...)}
	}
	u, err := url.Parse(text)
	if err != nil {
		return refuse("is no address")
	}
	switch u.Scheme {
	case "mxp+unix":
		if u.Host != "" || u.Path == "" {
			return refuse("has no absolute path, as in mxp+unix:///run/x.sock")
		}
		return Address{Network: "unix", Place: u.Path}, nil
	case "mxp+tcp", "mxp+tls":
		if _, port, err := net.SplitHostPort(u.Host); err != nil || port == "" || u.Path != "" {
			return refuse("has no host and port, as in %s://host:9000", u.Scheme)
		}
		return Address{Network: "tcp", Place: u.Host, TLS: u.Scheme == "mxp+tls"}, nil
	}
	return refuse("is none of mxp+unix, mxp+tcp and mxp+tls")
}
