package driver

import (
	"errors"
	"net"
	"strings"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// addressed reads an address; a text that is none is a mistake of the command line.
func addressed(text string) (mxp.Address, error) {
	address, err := mxp.ParseAddress(text)
	var failure *mxp.Failure
	if errors.As(err, &failure) {
		return address, usagef("%s", failure.Text).withHelp("addresses are %s", enumerated("and", forms(anyTransport)))
	}
	return address, err
}

// dialable checks the address that a client asks, which may be that of agents of a mesh.
func dialable(text string) error {
	err := mxp.CheckAddress(text)
	var failure *mxp.Failure
	if errors.As(err, &failure) {
		return usagef("%s", failure.Text).withHelp("addresses are %s; of agents of a mesh, mesh:///NAME and mesh:///?capability=C&service=S", enumerated("and", forms(anyTransport)))
	}
	return err
}

// listening is the address of a listener, with the port that 0 became.
func listening(address mxp.Address, listener net.Listener) string {
	address.Place = listener.Addr().String()
	return address.String()
}

// AddressForms are the forms of all addresses, or of the addresses whose bytes are not encrypted,
// as a text has them.
func AddressForms(plain bool) string {
	if plain {
		return enumerated("or", forms(isPlain))
	}
	return enumerated("or", forms(anyTransport))
}

// EncryptingSchemes are what addresses begin with for which a certificate is needed.
func EncryptingSchemes() string { return enumerated("and", schemes(isEncrypting)) }

func anyTransport(*mxp.Transport) bool   { return true }
func isPlain(t *mxp.Transport) bool      { return !t.Protects.Encryption }
func isEncrypting(t *mxp.Transport) bool { return t.Protects.Encryption }

// schemes are what addresses of some transports begin with.
func schemes(d func(*mxp.Transport) bool) (names []string) {
	for _, t := range mxp.Transports() {
		if d(t) {
			names = append(names, t.String())
		}
	}
	return names
}

func forms(d func(*mxp.Transport) bool) (list []string) {
	for _, t := range mxp.Transports() {
		if d(t) {
			list = append(list, mxp.Address{Transport: t, Place: t.Form}.String())
		}
	}
	return list
}

// enumerated are words with commas between them, and before the last the word that joins.
func enumerated(joins string, words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " " + joins + " " + words[last]
}
