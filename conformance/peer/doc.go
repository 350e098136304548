// Package peer plays a side of a connection of MXP on a real socket, byte by byte: a client against
// a server, or a server against the clients of a program that runs scripts. Each case sends what
// that side may send, or must not, and looks at each frame that comes back.
//
// The package writes and reads frames by itself, and their content by the compiler's interpreter:
// none of the four libraries is a judge.
//
// The server serves demo.Echo, as the programs of examples/mxp do.
package peer
