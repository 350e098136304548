// Package shm carries the bytes of a connection through memory that two processes of one
// machine share: the handover over a unix socket, the memory of either side, the rings in it,
// and a net.Conn of them. What it is given by a peer is hostile until it is checked; it knows
// nothing of frames and sessions.
package shm
