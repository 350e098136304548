//go:build unix

package peer

import (
	"net"

	"golang.org/x/sys/unix"
)

// hold binds a socket that does not listen to a port, so that nobody else gets the port; the result gives it back.
func hold(at *net.TCPAddr) (release func(), err error) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(socket)
	address := &unix.SockaddrInet4{Port: at.Port}
	copy(address.Addr[:], at.IP.To4())
	if err = unix.SetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1); err == nil {
		err = unix.Bind(socket, address)
	}
	if err != nil {
		unix.Close(socket)
		return nil, err
	}
	return func() { unix.Close(socket) }, nil
}
