// Package place has places at which tests let a server listen for programs of this machine.
package place

import (
	"path/filepath"
	"runtime"
	"strings"
)

// Local is the path of a socket in a folder, or, on Windows, the name of a pipe that has the folder's.
func Local(folder, name string) string {
	path := filepath.Join(folder, name)
	if runtime.GOOS != "windows" {
		return path
	}
	name = strings.NewReplacer(`\`, "-", ":", "", "_", "-").Replace(path)
	return name[max(0, len(name)-100):]
}

// Address is the address there.
func Address(folder, name string) string {
	if runtime.GOOS == "windows" {
		return "mxp+pipe://" + Local(folder, name)
	}
	return "mxp+unix://" + Local(folder, name)
}
