package mxp

import "net"

// unixNetwork is the scheme, and the name that package net has for it.
const unixNetwork = "unix"

// unixTransport connects programs of one machine. Its places are paths of sockets.
var unixTransport = Transport{
	Scheme: unixNetwork, Form: "/path", Protects: Protection{PeerCredentials: true},
	Check: func(path string) error { return checkSocket(unixNetwork, path) },
	Dial:  dialUnix, Identify: identifyUnix,
	Listen: func(path string, _ ServerOptions) (net.Listener, error) { return listenUnix(path) },
}
