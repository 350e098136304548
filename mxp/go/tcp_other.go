//go:build !linux && !darwin && !windows

package mxp

import "net"

func limitUnsent(*net.TCPConn) {}
