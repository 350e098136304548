package main

import "slices"

// machineParts run languages on other machines than this one: by its own processor, or in QEMU.
func machineParts() []*part {
	return slices.Concat([]*part{
		{name: "C++ with 32 bits", budget: seconds(500), steps: []step{run("tools/cpp-machine i686")}},
		{name: "big-endian C++", budget: seconds(600), steps: []step{run("tools/cpp-machine s390x")}},
		{name: "Go with 32 bits", budget: seconds(200), steps: []step{
			inWorkspace(run("go test ./runtime/go ./compiler/backend/golang")).with("GOARCH=386"), run("go test ./...").within("mxp/go").with("GOARCH=386"),
		}},
		{name: "Rust with 32 bits", budget: seconds(200), steps: []step{run("tools/rust-machine i686-unknown-linux-musl")}},
		{name: "big-endian Rust", budget: seconds(400), needs: []requirement{qemu}, steps: []step{run("tools/rust-machine s390x-unknown-linux-gnu")}},
		{name: "big-endian Go", budget: seconds(400), needs: []requirement{qemu}, steps: []step{
			inWorkspace(run("go test -exec qemu-s390x ./runtime/go ./compiler/backend/golang")).with("GOARCH=s390x"),
			run("go test -exec qemu-s390x ./frame ./session").within("mxp/go").with("GOARCH=s390x"),
		}},
	}, armParts())
}

// armParts run every language on ARM64, in QEMU: the vectors and tests of this machine. QEMU orders a program's stores as this
// machine does, so that an order that only ARM64 has is left to "waiting in all orders".
func armParts() []*part {
	return []*part{
		{name: "ARM64 Go", budget: seconds(300), needs: []requirement{qemuARM}, steps: []step{run("tools/arm64 go")}},
		{name: "ARM64 Rust", budget: seconds(900), needs: []requirement{qemuARM, gccARM, gxxARM}, steps: []step{run("tools/rust-machine aarch64-unknown-linux-gnu")}},
		{name: "ARM64 C++", budget: seconds(900), needs: []requirement{qemuARM, gxxARM}, steps: []step{run("tools/cpp-machine aarch64")}},
		{name: "ARM64 TypeScript", budget: seconds(250), packages: "mxp/typescript", needs: []requirement{qemuARM}, steps: []step{run("tools/arm64 typescript")}},
		{name: "ARM64 Python", budget: seconds(250), needs: []requirement{qemuARM, gccARM}, steps: []step{run("tools/arm64 python")}},
	}
}
