//go:build !go1.25

package main

import "os"

// runNetwork needs a newer Go.
func runNetwork() { os.Exit(2) }
