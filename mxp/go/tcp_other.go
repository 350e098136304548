//go:build !linux && !darwin

package mxp

import "net"

func limitUnsent(*net.TCPConn) {}
