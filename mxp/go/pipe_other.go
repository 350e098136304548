//go:build !windows

package mxp

import "os"

// systemTransports are transports of this system alone: none.
var systemTransports []*Transport

// ownAccount is the user that this program runs as.
func ownAccount() account { return account{number: os.Geteuid()} }
