package mxp

import (
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// addressPrefix is that of all addresses.
const addressPrefix = "mxp+"

// Address is where a peer is: a place of a transport.
type Address struct {
	Transport *Transport
	Place     string
}

// String is the address as ParseAddress reads it.
func (a Address) String() string { return addressOf(a.Transport.Scheme, a.Place) }

func addressOf(scheme, place string) string { return addressPrefix + scheme + "://" + place }

// ParseAddress reads an address of a transport that is registered, such as
// mxp+tcp://host:port. Any other text is refused with a *Failure, which is
// session.ErrAddressInvalid.
func ParseAddress(text string) (Address, error) {
	scheme, rest, _ := strings.Cut(text, ":")
	place, ok := strings.CutPrefix(rest, "//")
	var schemes []string
	for _, t := range Transports() {
		if schemes = append(schemes, t.String()); scheme != t.String() {
			continue
		}
		if !ok {
			place = "" // which no transport has
		}
		if err := t.check(place); err != nil {
			return Address{}, invalid("%q %v", text, err)
		}
		return Address{t, place}, nil
	}
	if scheme == addressPrefix+pipeScheme { // which this system has not, or it would have been found
		return Address{}, invalid("%q is not available on %s: named pipes belong to Windows", text, system())
	}
	last := len(schemes) - 1
	return Address{}, invalid("%q is none of %s and %s", text, strings.Join(schemes[:last], ", "), schemes[last])
}

// check refuses a place that the transport does not have.
func (t *Transport) check(place string) error {
	if t.Check != nil {
		if err := t.Check(place); err != nil {
			return err
		}
	}
	if place == "" {
		return fmt.Errorf("has nothing behind its scheme, as in %s", addressOf(t.Scheme, t.Form))
	}
	return nil
}

func invalid(format string, values ...any) error {
	f := engine.Refusal(session.ErrAddressInvalid, false)
	f.Text = fmt.Sprintf(format, values...)
	return &f
}
