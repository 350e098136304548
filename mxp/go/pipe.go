package mxp

import "runtime"

// pipeScheme is that of named pipes [MXP-21.1].
const pipeScheme = "pipe"

// system is what people call this system.
func system() string {
	switch runtime.GOOS {
	case "windows":
		return "Windows"
	case "darwin":
		return "macOS"
	case "linux":
		return "Linux"
	}
	return runtime.GOOS
}
