package main

import (
	"os"
	"path/filepath"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// The stubs and the MXP library, whose sources are copied beside them with the runtime's, are compiled with the
// program.
func init() {
	languages["typescript"] = language{
		generate: func(b *build) []string {
			return []string{"--out", "typescript=" + filepath.Join(b.source, "src", "generated")}
		},
		compile: func(b *build) (string, error) {
			library := filepath.Join(b.source, "src", "library")
			if err := os.RemoveAll(library); err != nil {
				return "", err
			}
			for _, part := range []string{"mxp", "runtime"} {
				sources := filepath.Join(part, "typescript", "src")
				if err := os.CopyFS(filepath.Join(library, sources), os.DirFS(filepath.Join(b.root, sources))); err != nil {
					return "", err
				}
			}
			tsc := filepath.Join(b.root, "runtime", "typescript", "node_modules", ".bin", "tsc")
			if err := building.Run(b.source, tsc, "-p", "."); err != nil {
				return "", err
			}
			program := filepath.Join(b.source, "program")
			packages := filepath.Join(b.root, "mxp", "typescript", "node_modules") // of which ws is needed to listen for WebSockets
			script := "#!/bin/sh\nNODE_PATH='" + packages + "' exec node '" + filepath.Join(b.source, "js", "main.js") + "' \"$@\"\n"
			return program, os.WriteFile(program, []byte(script), 0o777)
		},
	}
}
