//go:build unix && !linux

package mxp

import (
	"net"
	"sync"
	"syscall"
)

var masking sync.Mutex

// bindPrivate makes a socket whose file has the mode 0600. These systems know no other
// way that leaves no moment in which it has another: what else the program makes
// meanwhile is its user's alone, too.
func bindPrivate(path string) (*net.UnixListener, error) {
	masking.Lock()
	defer masking.Unlock()
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	return net.ListenUnix(unixNetwork, &net.UnixAddr{Name: path, Net: unixNetwork})
}
