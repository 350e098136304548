package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// The stubs lie in a package of the program's own, and the library is that of the repository, on the core that is built from mxp/c.
func init() {
	languages["python"] = language{
		generate: func(b *build) []string {
			return []string{"--out", "python=" + filepath.Join(b.source, "generated")}
		},
		compile: func(b *build) (string, error) {
			if err := building.Run(b.root, "cargo", "build", "--quiet", "--workspace", "--all-features", "--lib"); err != nil {
				return "", err
			}
			core := "libmxp_c.so"
			if runtime.GOOS == "darwin" {
				core = "libmxp_c.dylib"
			}
			program := filepath.Join(b.source, "program")
			script := fmt.Sprintf("#!/bin/sh\nMXP_LIBRARY=%q PYTHONPATH=%q exec python3 %q \"$@\"\n", filepath.Join(b.root, "target", "debug", core),
				filepath.Join(b.root, "mxp", "python"), filepath.Join(b.source, "main.py"))
			return program, os.WriteFile(program, []byte(script), 0o777)
		},
	}
}
