package output

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// devices are the names that Windows keeps for devices, also where an extension follows: a file
// `aux.hpp` can't be made there, or opens the device.
var devices = map[string]bool{"con": true, "prn": true, "aux": true, "nul": true, "conin$": true, "conout$": true}

// numbered are devices with a digit behind them, which may be a superscript.
var (
	numbered   = []string{"com", "lpt"}
	portDigits = []string{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³"}
)

// isDevice tells whether Windows takes the name of a file or folder for a device.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem, _, _ = strings.Cut(stem, ":")
	stem = strings.ToLower(strings.TrimRight(stem, " "))
	if devices[stem] {
		return true
	}
	for _, port := range numbered {
		if digit, is := strings.CutPrefix(stem, port); is && slices.Contains(portDigits, digit) {
			return true
		}
	}
	return false
}

// refuseHere refuses paths that this system can't have.
func refuseHere(path string) error {
	if runtime.GOOS != "windows" {
		return nil
	}
	return refuseDevice(path)
}

// refuseDevice names the part of a path that Windows takes for a device. A device that a user names by
// itself, such as NUL, is none of a path: it is written like any other.
func refuseDevice(path string) error {
	rest := strings.TrimPrefix(path, filepath.VolumeName(path))
	for _, part := range strings.FieldsFunc(rest, func(r rune) bool { return r == '/' || r == '\\' }) {
		if isDevice(part) && (part != path || strings.Contains(part, ".")) {
			return fmt.Errorf("cannot write %s: Windows keeps the name %s for a device", filepath.ToSlash(path), part)
		}
	}
	return nil
}
