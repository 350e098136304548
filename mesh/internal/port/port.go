// Package port finds addresses at which tests can let a server listen.
package port

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// The range below the ports that a system gives to outgoing connections: one of these can be
// taken by any program between the moment it is found free and the moment a server listens at it.
const first, end = 20000, 32768

// Free returns addresses of this machine, host and port, at which nobody listens. They differ from each other.
func Free(t testing.TB, count int) (addresses []string) {
	t.Helper()
	for attempt := 0; len(addresses) < count; attempt++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(end-first)))
		if err == nil {
			defer l.Close()
			addresses = append(addresses, l.Addr().String())
		} else if attempt == 100*count {
			t.Fatalf("no free port: %v", err)
		}
	}
	return addresses
}
