package main

import (
	"path/filepath"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// The stubs are modules of the program's crate, in src/generated. The common dependencies of both
// releases and the examples are compiled once, in a folder where each has a name of its own: cargo
// would take one for the other.
func init() {
	languages["rust"] = language{
		generate: func(b *build) []string {
			return []string{"--out", "rust=" + filepath.Join(b.source, "src", "generated")}
		},
		compile: func(b *build) (string, error) {
			target := filepath.Join(b.root, "target", "examples")
			program := filepath.Join(target, "debug", "services-"+b.release)
			return program, building.Run(b.source, "cargo", "build", "--quiet", "--locked", "--target-dir", target)
		},
	}
}
