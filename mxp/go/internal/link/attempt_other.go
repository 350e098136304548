//go:build !unix

package link

import "net"

// attemptAt would write to a socket without waiting.
func attemptAt(net.Conn) attempt { return nil }
