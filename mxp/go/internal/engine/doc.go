// Package engine has the rules of a connection and of a client above the session [MXP-14] [MXP-15]:
// which connection a request takes, what is made again and when, who waits for room, and how failures
// read. It has no clock, sockets, goroutines, locks, contexts or random numbers: its drivers, packages
// link and mxp, give it times and draws, and call it under locks of their own.
package engine
