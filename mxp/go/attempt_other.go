//go:build !unix

package mxp

import "net"

// attempt would write to a socket without waiting.
type attempt struct{}

func newAttempt(net.Conn) *attempt { return nil }

func (*attempt) write([]byte) int { return 0 }
