package talk

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// hello is the names in the Hello of the peer at an address, which is all that one
// tells of its services who does not serve reflection. A client keeps these names to
// itself, so that a session of its own asks for them.
func hello(ctx context.Context, at string, secure *tls.Config) ([]string, error) {
	address, err := mxp.ParseAddress(at)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, session.HelloUs*time.Microsecond)
	defer cancel()
	conn, err := address.Transport.Dial(ctx, address.Place, mxp.ClientOptions{TLS: secure})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	return greet(conn)
}

// greet exchanges Hellos on a connection, takes the peer's services out of its own, and
// says that no requests follow.
func greet(conn net.Conn) ([]string, error) {
	s := session.New(session.Config{Role: session.Opener}, 0)
	if err := flush(conn, s); err != nil {
		return nil, err
	}
	buffer := make([]byte, 64<<10)
	for !s.Ready() {
		n, err := conn.Read(buffer)
		if err != nil {
			return nil, err
		}
		for piece := buffer[:n]; ; {
			incoming, more := s.Receive(&piece, 0)
			if !more {
				break
			}
			if end, ended := incoming.(*session.End); ended {
				return nil, &end.Failure
			}
		}
	}
	_ = s.Drain("listed", 0)
	_ = flush(conn, s) // the names are known
	return s.Services(), nil
}

// flush writes what a session has made.
func flush(conn net.Conn, s *session.Session) error {
	for {
		out, more := s.PollFrame(0)
		if !more {
			return nil
		}
		if _, err := (&net.Buffers{out.Head, out.Value, out.Trailer}).WriteTo(conn); err != nil {
			return err
		}
	}
}
