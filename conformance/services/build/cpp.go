package main

import (
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/serial-data-protocol/sdp/conformance/building"
)

// The stubs lie in gen. CMake's folder is kept, so that only what has changed is compiled, all
// sources of a program as one.
func init() {
	languages["cpp"] = language{
		generate: func(b *build) []string { return []string{"--out", "cpp=" + filepath.Join(b.source, "gen")} },
		compile: func(b *build) (string, error) {
			target := filepath.Join(b.root, "target", "services-cpp-"+b.release)
			if err := building.Run(b.source, "cmake", "-S", ".", "-B", target, "-DCMAKE_UNITY_BUILD=ON"); err != nil {
				return "", err
			}
			return filepath.Join(target, "services"), building.Run(b.source, "cmake", "--build", target, fmt.Sprintf("-j%d", runtime.NumCPU()))
		},
	}
}
