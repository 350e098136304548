package main

import (
	"path/filepath"
	"strings"
)

// projects makes the project of each language; it is told the compiler of C++.
var projects = map[string]func(cxx string) *project{
	"go": func(string) *project {
		return &project{
			files: map[string]string{"go.mod": "module planted\n\ngo 1.23\n"},
			out:   "go=. --forms owned,views",
			test:  [][]string{{"go", "build", "./..."}, {"go", "test", "-vet=off", "./rack"}},
		}
	},
	// Its runtime is a copy of the repository's, since the laid one has no JSON.
	"rust": func(string) *project {
		return &project{
			files: map[string]string{"Cargo.toml": crate, "src/lib.rs": "pub mod rack;\n#[cfg(test)]\nmod rack_tests;\n"},
			copied: map[string]string{
				filepath.Join("runtime", "rust", "src"): filepath.Join("sdp", "src"), "Cargo.lock": "Cargo.lock",
			},
			patched: map[string]string{filepath.Join("runtime", "rust", "Cargo.toml"): filepath.Join("sdp", "Cargo.toml")},
			out:     "rust=src --forms owned,borrowed,views --rust-runtime ::sdp",
			test:    [][]string{{"cargo", "test", "--quiet", "--no-run"}, {"cargo", "test", "--quiet"}},
		}
	},
	"cpp": func(cxx string) *project {
		compile := append(strings.Fields(cxx), "-O0", "-o", "rack_tests", "rack_tests.cpp")
		return &project{out: "cpp=. --forms owned,views", test: [][]string{compile, {"./rack_tests"}}}
	},
	// Bugs are planted in the script that the compiler has made, so that it runs once.
	"typescript": func(string) *project {
		packages, err := filepath.Abs(filepath.Join("runtime", "typescript", "node_modules"))
		if err != nil {
			panic(err)
		}
		return &project{
			files: map[string]string{
				"package.json":  `{"type": "module"}`,
				"tsconfig.json": strings.ReplaceAll(tsconfig, "{{packages}}", filepath.ToSlash(packages)),
			},
			out:   "typescript=src",
			build: [][]string{{filepath.Join(packages, ".bin", "tsc"), "-p", "."}},
			test:  [][]string{{"node", "--test", "js/rack.test.js"}},
		}
	},
}

// tsconfig has the strictest options that there are, for the generated code's sake.
const tsconfig = `{
  "compilerOptions": {
    "target": "ES2022", "module": "NodeNext", "lib": ["ES2022"], "types": ["node"], "typeRoots": ["{{packages}}/@types"],
    "rootDir": "src", "outDir": "js", "strict": true, "exactOptionalPropertyTypes": true, "noUncheckedIndexedAccess": true,
    "erasableSyntaxOnly": true, "noImplicitOverride": true, "noFallthroughCasesInSwitch": true, "noImplicitReturns": true,
    "noPropertyAccessFromIndexSignature": true, "noUnusedLocals": true, "noUnusedParameters": true, "verbatimModuleSyntax": true,
    "declaration": true, "isolatedDeclarations": true, "skipLibCheck": true
  },
  "include": ["src"]
}
`

// crate compiles without what debuggers need.
const crate = `[package]
name = "planted"
version = "0.0.0"
edition = "2021"

[workspace]

[features]
default = ["serde"]
serde = []

[dependencies]
serial-data-protocol = { path = "sdp", features = ["serde"] }

[profile.dev]
debug = false
`
