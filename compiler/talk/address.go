package talk

import (
	"fmt"
	"net"
	"strconv"
	"strings"
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
	scheme, rest, _ := strings.Cut(text, ":")
	place, ok := strings.CutPrefix(rest, "//")
	switch scheme {
	case "mxp+unix":
		if !ok || len(place) < 2 || place[0] != '/' {
			return refuse("has no absolute path, as in mxp+unix:///run/x.sock")
		}
		return Address{Network: "unix", Place: place}, nil
	case "mxp+tcp", "mxp+tls":
		host, port, err := net.SplitHostPort(place)
		if _, wrong := strconv.ParseUint(port, 10, 16); !ok || err != nil || wrong != nil || host == "" || strings.Contains(host, "/") {
			return refuse("has no host and port, as in %s://host:9000", scheme)
		}
		return Address{Network: "tcp", Place: place, TLS: scheme == "mxp+tls"}, nil
	}
	return refuse("is none of mxp+unix, mxp+tcp and mxp+tls")
}
