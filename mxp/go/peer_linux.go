package mxp

import "syscall"

// processAt is the process at the other end of a socket.
func processAt(socket syscall.Conn) (*Process, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	var peer *syscall.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) {
		peer, failed = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return &Process{User: int(peer.Uid), Group: int(peer.Gid), ID: int(peer.Pid)}, nil
}
