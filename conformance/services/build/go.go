package main

import (
	"path/filepath"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// The stubs lie in the program's own module, beside the runtime that is laid there.
func init() {
	languages["go"] = language{
		generate: func(b *build) []string { return []string{"--out", "go=" + filepath.Join(b.source, "gen")} },
		compile: func(b *build) (string, error) {
			program := filepath.Join(b.source, "program")
			if err := building.Run(b.source, "go", "vet", "./..."); err != nil {
				return "", err
			}
			return program, building.Run(b.source, "go", "build", "-o", program, ".")
		},
	}
}
