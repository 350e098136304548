//go:build !windows

package main

import "os"

// showsColors reports whether a terminal interprets escape sequences: all do.
func showsColors(*os.File) bool { return true }
