package main

import "slices"

// goMin is the smallest Go that generated code and its runtime are for.
const goMin = "1.23.12"

// measuring are the tests of generated Go code that measure time and memory over large
// values. Without the race detector they run in any case; with it they take minutes, and
// have one goroutine each.
const measuring = "TakesTimeInProportion|KeepsItsMemoryBound|LargerThanTheHeap|ReadsElementByElement"

// moreParts are what gates a change beside the tests: linters, committed corpora, odd
// schemas, the race detector, documents, the smallest releases. Each does the same whenever it is run.
func moreParts() []*part {
	headers := func(folder, target string) []step {
		build := "target/" + target
		return []step{
			quietly("cmake", "-S", folder, "-B", build, "-DSDP_TESTS=ON", "-DMXP_TESTS=ON"),
			quietly("cmake", "--build", build, "--target", target, "-j2"),
		}
	}
	return slices.Concat(lintParts(), releaseParts(), []*part{
		{name: "committed corpora", budget: seconds(80), steps: []step{run("tools/fuzz-replay")}},
		{name: "C++ headers", budget: seconds(44), steps: append(headers(".", "sdp_headers"), headers("mxp/cpp", "mxp_headers")...)},
		{name: "unusual C++", budget: seconds(75), steps: []step{run("go", "test", "-timeout", "15m", "./compiler/backend/cpp", "-run", unusual)}},
		{name: "odd schemas", budget: seconds(70), steps: []step{run("go run ./conformance/odd")}},
		{name: "examples", budget: seconds(98), folder: exampleFolder, packages: webFolder, needs: []requirement{lua}, steps: []step{run("go test -timeout 15m ./examples")}},
		{name: "documents", budget: seconds(116), after: []string{"examples"}, folder: exampleFolder, python: true, steps: []step{run("go test -timeout 15m ./tools/snippets")}},
		{name: "Wireshark", budget: seconds(18), steps: []step{
			run("tools/from-debian tshark tshark"),
			run("go test -count=1 -tags wireshark -run Wireshark ./compiler/tap"),
		}},
		{name: "Rust documentation", budget: seconds(16), folder: workspaceFolder, steps: []step{run("cargo test --quiet --workspace --all-features --doc")}},
		// The crate is built with the features of the workspace, whose other crates are there already.
		{name: "C core", budget: seconds(24), folder: workspaceFolder, steps: []step{
			run("cargo test --quiet --workspace --all-features --test abi"),
		}},
		{name: "race", budget: seconds(44), steps: []step{
			run("go test -race -skip " + measuring + " ./...").within("runtime"),
			shell("go test -race $(go list ./... | grep -vE '/(frame|session)$')").within("mxp/go"), // which have no goroutines
		}},
		{name: "killed and restarted peers", budget: seconds(16), after: names(demos()), steps: []step{
			run("go test -count=1 -run Killed|RestartsLose .").within("examples/mxp/go").with("MXP_KILLS=34", "MXP_RESTARTS=6"),
		}},
		{name: "network programs", budget: seconds(40), folder: workspaceFolder, steps: []step{
			quietly("make", "--silent", "-C", "conformance/runners/mxp/network", "CXX="+clang.name),
			run("cargo build --quiet --workspace --all-features --bin mxp-network"),
		}},
		{name: "simulation of sockets", budget: seconds(32), after: []string{"frame runner in Go", "network programs"}, steps: []step{
			run("go run ./sockets").within("conformance/simulation"),
		}},
		{name: "traces", budget: seconds(12), after: append(names(frameRunners()), "network programs"), steps: []step{
			run("python3 -m conformance.harness --only mxp/engine/"),
		}},
		{name: "frames on ARM64", budget: seconds(10), needs: []requirement{qemuARM}, steps: []step{run("tools/arm64 sample")}},
		{name: "real time", budget: seconds(70), steps: []step{run("go run ./conformance/realtime -gate")}},
		{name: "smallest Go", budget: seconds(22), steps: []step{run("tools/smallest-go " + goMin)}},
		{name: "smallest Rust", budget: seconds(62), steps: []step{run("tools/smallest-rust")}},
		{name: "playground", budget: seconds(20), folder: playgroundMade, packages: playgroundFolder, steps: append(playground(), run("node --test --test-reporter=spec "+playgroundTests+"/parts.test.mjs "+playgroundTests+"/wasm.test.mjs"))},
		{name: "bare metal", budget: seconds(12), steps: []step{run("tools/bare-metal")}},
		{name: "crates", budget: seconds(10), folder: workspaceFolder, steps: []step{
			run("tools/crates"),
		}},
	})
}

// webFolder is the example with pages.
const webFolder = "examples/web"

// The playground's folder, what is made of it, and its tests.
const (
	playgroundFolder = "playground"
	playgroundMade   = "target/playground"
	playgroundTests  = "target/playground-tests"
)

// playground are the steps that make the playground and its tests.
func playground() []step {
	return []step{run("node_modules/.bin/tsc -p .").within(playgroundFolder), run("go run ./playground/build -tests")}
}

// releaseParts let two releases of a service call each other, in each pair of languages.
func releaseParts() []*part {
	service := func(language string) step { return quietly("go run ./conformance/services/build " + language) }
	return []*part{
		{name: "services in Go", budget: seconds(8), steps: []step{service("go")}},
		{name: "services in Rust", budget: seconds(26), folder: exampleFolder, steps: []step{service("rust")}},
		{name: "services in C++", budget: seconds(33), steps: []step{service("cpp")}},
		{name: "services in TypeScript", budget: seconds(18), packages: "mxp/typescript", steps: []step{service("typescript")}},
		{name: "services in Python", budget: seconds(12), after: []string{"network programs"}, folder: workspaceFolder, python: true, steps: []step{service("python"), buildNode(), pythonServices()}},
		{name: "services of every pair", budget: seconds(65), after: []string{"services in Go", "services in Rust", "services in C++", "services in Python", "services in TypeScript"}, steps: []step{
			run("go test -count=1 .").within("conformance/services/pairs"),
		}},
	}
}
