package link

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// hasHungUp reports whether nothing more will come: the peer has ended its direction of the
// connection, or is gone.
func hasHungUp(network net.Conn) (hungUp bool) {
	if shared, is := network.(SharedConn); is {
		return shared.HasHungUp()
	}
	if below, ok := network.(interface{ NetConn() net.Conn }); ok {
		network = below.NetConn()
	}
	socket, ok := network.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	raw.Control(func(fd uintptr) {
		ends := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(ends, 0)
		hungUp = err == nil && n > 0
	})
	return hungUp
}
