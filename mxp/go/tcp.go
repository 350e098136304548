package mxp

import (
	"crypto/tls"
	"net"
	"time"
)

// Keepalive finds out that a machine is gone also where no ping can: before Hello, and
// with pings off.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 2}

// tune sets the options of a TCP socket, also below TLS. What the system doesn't take
// stays as it was.
func tune(network net.Conn) {
	if secure, ok := network.(*tls.Conn); ok {
		network = secure.NetConn()
	}
	if socket, ok := network.(*net.TCPConn); ok {
		socket.SetKeepAliveConfig(keepAlive)
		limitUnsent(socket)
	}
}
