package mxp

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// processAt is the process at the other end of a socket.
func processAt(socket syscall.Conn) (*Process, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	var peer *unix.Xucred
	var id int
	var failed error
	err = raw.Control(func(fd uintptr) {
		if peer, failed = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED); failed == nil {
			id, failed = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
		}
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	// The first group is the effective one.
	return &Process{User: int(peer.Uid), Group: int(peer.Groups[0]), ID: id}, nil
}
