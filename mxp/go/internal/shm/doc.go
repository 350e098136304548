// Package shm carries the bytes of a connection through memory that two processes of one
// machine share: the handover over a unix socket, the memory of either side, the rings in it,
// and a net.Conn of them. All that a peer gives is hostile until it is checked; the package knows
// nothing of frames and sessions.
package shm
