//go:build !windows

package interp

import "os"

// createSpool makes a temporary file without a name, which is gone after any end of the program.
func createSpool() (*os.File, error) {
	f, err := os.CreateTemp("", "sdp-*.spool")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}
