package main

import "path/filepath"

const staticcheck = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"

// lintParts compile everything but benchmarks, which depend on the compared libraries, to look at it.
func lintParts() []*part {
	return []*part{
		{name: "bench code", budget: seconds(6), needs: []requirement{flatc}, steps: benchCode()},
		{name: "modules", budget: seconds(4), after: []string{"bench code"}, steps: completeModules()},
		pythonLinters(),
		{name: "Go's linters", budget: seconds(57), steps: lintGo(everywhere()...)},
		{name: "clippy", budget: seconds(70), folder: workspaceFolder, steps: []step{
			run("cargo clippy --quiet --workspace --all-targets --all-features -- -D warnings"),
			// Python's native engine, a workspace of its own: as it is for one interpreter, and for all.
			run("cargo clippy --quiet --locked --target-dir ../../../target/python-native -- -D warnings").within("runtime/python/native"),
			run("cargo clippy --quiet --locked --features abi3 --target-dir ../../../target/python-native -- -D warnings").within("runtime/python/native"),
			run("cargo doc --quiet --no-deps --all-features -p serial-data-protocol -p sdp-build -p mesh-exchange-protocol").with("RUSTDOCFLAGS=-D warnings"),
		}},
	}
}

// lintGo looks at packages of any module.
func lintGo(packages ...string) []step {
	return []step{
		inWorkspace(run(append([]string{"go", "vet", "-tags", "sdp"}, packages...)...)),
		quietly("go", "install", staticcheck).with("GOBIN=" + filepath.Join(here, "target")),
		inWorkspace(run(append([]string{"target/staticcheck", "-tags", "sdp"}, packages...)...)),
	}
}

// benchCode makes the generated code of the benchmarks in Go, and SDP's part of the benchmarks in
// Rust: they keep no generated code. The peers' code in Rust is made by build scripts.
func benchCode() []step {
	return []step{quietly("bench/go/generate.sh"), quietly("bench/rpc/go/generate.sh"), quietly("bench/rust/generate.sh")}
}

// completeModules asks for everything that each module imports, which fails where its
// go.mod alone does not lead to it.
func completeModules() []step {
	steps := []step{quietly("go list -mod=readonly -deps -test ./...")}
	for _, module := range modules {
		steps = append(steps, quietly("go list -mod=readonly -deps -test -tags sdp ./...").within(module))
	}
	return steps
}
