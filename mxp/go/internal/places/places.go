// Package places has addresses for tests that need any server of this machine: of a unix socket, or of
// a named pipe where the system has none.
package places

import (
	"testing"
)

// Free is an address without a listener.
func Free(t testing.TB) string { return Named(t, t.TempDir(), "s.sock") }
