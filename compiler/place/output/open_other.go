//go:build !windows

package output

import "os"

// removeOpen removes a file that somebody may still write to.
func removeOpen(file *os.File) { _ = os.Remove(file.Name()) }
