package mxp

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/secure"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const tlsScheme = "tls"

// tlsTransport is TLS above TCP. Its places are hosts, which certificates name, and ports.
var tlsTransport = Transport{
	Scheme: tlsScheme, Form: tcpTransport.Form, Protects: Protection{Encryption: true},
	Check:    func(place string) error { return checkHostPort(tlsScheme, place) },
	Dial:     dialTLS,
	Listen:   listenTLS,
	Accept:   acceptTLS,
	Identify: identifyTLS,
	owns: func(network net.Conn) bool {
		_, is := network.(*tls.Conn) // whose addresses are TCP's
		return is
	},
}

func dialTLS(ctx context.Context, place string, options ClientOptions) (net.Conn, error) {
	network, err := dialTCP(ctx, place, options)
	if err != nil {
		return nil, err
	}
	made, err := secure.Client(ctx, network, place, options.TLS)
	if err != nil {
		status := session.StatusUnavailable
		if secure.IsFinal(err) {
			status = session.StatusFailedPrecondition
		}
		return nil, unreached(status, "TLS: "+strings.TrimPrefix(err.Error(), "tls: "), err)
	}
	return made, nil
}

func listenTLS(place string, options ServerOptions) (net.Listener, error) {
	if options.TLS == nil {
		return nil, fmt.Errorf("mxp: %q needs ServerOptions.TLS", addressOf(tlsScheme, place))
	}
	listener, err := net.Listen(tcpNetwork, place)
	if err != nil {
		return nil, err
	}
	return tls.NewListener(listener, options.TLS), nil
}

// notTLS is the alert of TLS that says that what has come is none: "unexpected message".
var notTLS = []byte{21, 3, 1, 0, 2, 2, 10}

// acceptTLS shakes hands with a peer that has connected. It tells a peer that does not speak TLS
// so, which the library does not do.
func acceptTLS(ctx context.Context, network net.Conn) error {
	err := network.(*tls.Conn).HandshakeContext(ctx)
	var none tls.RecordHeaderError
	if errors.As(err, &none) && none.Conn != nil {
		none.Conn.Write(notTLS)
	}
	return err
}

// identifyTLS fills in the names of the peer's certificate, if its chain is verified.
func identifyTLS(network net.Conn, peer *Peer) error {
	if chains := network.(*tls.Conn).ConnectionState().VerifiedChains; len(chains) > 0 {
		peer.Certificate = certificateOf(chains[0][0])
	}
	return nil
}

func certificateOf(c *x509.Certificate) *Certificate {
	hash := sha256.Sum256(c.Raw)
	identity := &Certificate{
		Subject: c.Subject.String(), DNSNames: c.DNSNames, Emails: c.EmailAddresses,
		Serial: c.SerialNumber.Text(16), SHA256: hex.EncodeToString(hash[:]),
	}
	for _, one := range c.URIs {
		identity.URIs = append(identity.URIs, one.String())
	}
	return identity
}
