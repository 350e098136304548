package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// fuzzed are the Go packages with fuzz targets.
var fuzzed = []string{
	"./runtime/go", "./compiler/syntax", "./compiler/format", "./compiler/check", "./compiler/interp", "./compiler/talk",
	"./compiler/tap", "./compiler/proto", "./compiler/backend/golang",
}

// agentsFolder has ajv, and the SDK of agents' tools.
const agentsFolder = "conformance/agents"

// exploreParts look for cases that nobody has thought of, by a seed, or take longer
// than a change should wait: other machines, Memcheck, Miri. None gates a change; what
// one finds becomes a case that does.
func exploreParts(seed uint64) []*part {
	number := strconv.FormatUint(seed, 10)
	// libFuzzer takes a seed of 32 bits, and 0 for one of its own.
	small := fmt.Sprintf("-seed=%d", seed%(1<<31)+1)
	fuzz := "go run ./tools/fuzzcount -count 20000 "
	return append([]*part{
		{name: "new random schemas", budget: seconds(300), folder: "target/random", steps: []step{run("go run ./conformance/random -seed " + number)}},
		{name: "new odd schemas", budget: seconds(200), steps: []step{run("go run ./conformance/odd -count 5 -seed " + number)}},
		{name: "planted bugs", budget: seconds(900), steps: []step{
			quietly("npm ci --no-audit --no-fund").within("runtime/typescript"), run("go run ./conformance/planted"),
		}},
		{name: "bugs planted in engines", budget: seconds(1500), steps: []step{
			quietly("npm ci --no-audit --no-fund").within("runtime/typescript"), run("go", "run", "./conformance/planted", "-engines", "-cxx", clang.name+" -std=c++17"),
		}},
		{name: "JSON Schema and tools of agents", budget: seconds(300), packages: agentsFolder, folder: "target/agents", steps: []step{
			run("go run ./conformance/agents -seed " + number), run("go run ./conformance/agents/host"),
		}},
		{name: "imports of .proto files", budget: seconds(1000), folder: "target/protobuf", steps: []step{
			run("go run ./conformance/protobuf -keep target/protobuf/made -seed " + number),
			run("go run ./conformance/odd -imported target/protobuf/made/google-proto-files/0 -count 20 -seed " + number),
		}},
		{name: "bridges to Protocol Buffers", budget: seconds(150), folder: "target/protobuf", steps: []step{
			quietly("go run ./conformance/protobuf -only opentelemetry-proto -values 1"), run("go run . -seed " + number).within("conformance/bridge"),
			quietly("go generate .").within(migrationFolder), run("go vet ./...").within(migrationFolder),
			quietly("go", "install", staticcheck).with("GOBIN=" + filepath.Join(here, "target")), run("../../target/staticcheck . ./before ./clients ./registry ./made/bridge/...").within(migrationFolder),
			run("go test -count=1 -race ./...").within(migrationFolder),
		}},
		{name: "new edits of schemas", budget: seconds(200), steps: []step{run("go test ./compiler/compat -count=1 -timeout 30m -rounds=20 -seed=" + number)}},
		{name: "vectors in browsers", budget: seconds(150), needs: []requirement{chromium, firefox}, steps: []step{
			quietly(append([]string{"go", "run", "./conformance/runners/typescript/build"}, schemas()...)...),
			quietly("npm ci --no-audit --no-fund").within("conformance/runners/typescript/browser"),
			run("python3", "-m", "conformance.harness", "typescript", "--program", "node conformance/runners/typescript/browser/bridge.mjs chromium"),
			run("python3", "-m", "conformance.harness", "typescript", "--program", "node conformance/runners/typescript/browser/bridge.mjs firefox"),
		}},
		{name: "vectors of JavaScript", budget: seconds(60), steps: []step{
			quietly(append([]string{"go", "run", "./conformance/runners/typescript/build", "-js", "-tests", "-out", "conformance/runners/typescript/out/javascript"}, schemas()...)...),
			run("python3 -m conformance.harness typescript --program conformance/runners/typescript/out/javascript/runner"),
			quietly("node --expose-gc --test js/values.test.js js/numbers.test.js js/views.test.js js/fuzz.test.js").within("conformance/runners/typescript/out/javascript"),
		}},
		{name: "other engines", budget: seconds(150), packages: "mxp/typescript", steps: engines()},
		{name: "services in browsers", budget: seconds(300), needs: []requirement{chromium, firefox}, folder: exampleFolder, steps: []step{
			quietly("npm ci --no-audit --no-fund").within("conformance/runners/typescript/browser"),
			quietly("go run ./conformance/services/build go rust cpp typescript"),
			run("go test -count=1 -run Pages .").within("conformance/services/pairs").with("MXP_BROWSERS=chromium firefox"),
			run("node --test --test-reporter=spec faults.test.mjs").within("conformance/runners/typescript/browser").with("MXP_BROWSERS=chromium firefox"),
		}},
		{name: "services of all releases", budget: seconds(250), folder: exampleFolder, steps: []step{
			quietly("go run ./conformance/services/build go rust cpp typescript"),
			run("go test -count=1 -run Every .").within("conformance/services/pairs").with("MXP_PAIRS=all"),
		}},
		{name: "pages of the example in browsers", budget: seconds(100), needs: []requirement{chromium, firefox}, packages: webFolder, steps: []step{
			quietly("npm ci --no-audit --no-fund").within("conformance/runners/typescript/browser"),
			quietly("npm run build").within(webFolder),
			run("node --test --test-reporter=spec tests/browser.test.mjs").within(webFolder).with("MXP_BROWSERS=chromium firefox"),
		}},
		{name: "engines of Python", budget: seconds(300), python: true, steps: []step{
			pythonBuild(),
			quietly(inPython("python")+" -m pytest -q -p no:cacheprovider "+pythonOwn+"/tests").with("SDP_ENGINE=native", "SDP_TEST_COUNT=200000", "SDP_TEST_SEED="+number),
		}},
		{name: "10,000 simulations", budget: seconds(400), after: names(frameRunners()), steps: []step{
			run("go run . -count 10000 -from " + number).within("conformance/simulation"),
		}},
		{name: "values of 20,000 releases", budget: seconds(600), steps: []step{
			run("go test ./conformance/handshakes -timeout 60m -pairs 20000 -seed " + number),
		}},
		{name: "3,000 handshakes", budget: seconds(200), after: names(frameRunners()), steps: []step{
			run("python3 -m conformance.harness --only handshakes --pairs 3000 --seed " + number),
		}},
		{name: "340 kills", budget: seconds(200), after: names(demos()), steps: []step{
			run("go test -count=1 -run Killed .").within("examples/mxp/go").with("MXP_KILLS=340"),
		}},
		{name: "1,000 kills beside shared memory", budget: seconds(200), steps: []step{
			run("go test -count=1 -run Killed/shm .").within("mxp/go").with("MXP_KILLS=500"),
		}},
		{name: "killed nodes", budget: seconds(400), steps: []step{
			run("go test -count=1 -tags=soak -timeout=15m -run Killed|Stopped|Durable|Thousand ./node").within("mesh"),
		}},
		{name: "restarted nodes", budget: seconds(100), steps: []step{
			run("go test -count=1 -tags=soak -timeout=15m -run Rolling|CostsWhat ./node").within("mesh"),
		}},
		{name: "power cuts of nodes", budget: seconds(200), needs: []requirement{strace}, steps: []step{
			run("go test -count=1 -tags=soak -timeout=15m -run PowerCut ./node").within("mesh"),
		}},
		{name: "a mesh of 30 programs", budget: seconds(400), steps: []step{run("go run ./conformance/mesh -seed " + number)}},
		{name: "10,000 idle connections", budget: seconds(200), after: names(demos()), steps: []step{
			run("go test -count=1 -run IdleConnections .").within("examples/mxp/go").with("MXP_IDLE=10000", "MXP_ACTIVE=1000"),
		}},
		{name: "fuzzing Go's codecs", budget: seconds(400), steps: []step{inWorkspace(run(fuzz + "./runtime/go ./compiler/backend/golang"))}},
		{name: "fuzzing the tool", budget: seconds(400), steps: []step{run(fuzz + strings.Join(fuzzed[1:8], " "))}},
		{name: "fuzzing Go's MXP", budget: seconds(200), steps: []step{
			quietly("go build -o target/fuzzcount ./tools/fuzzcount"), run("../../target/fuzzcount -count 20000 ./frame ./session ./internal/shm").within("mxp/go"),
		}},
		{name: "fuzzing Rust", budget: seconds(400), steps: []step{run("tools/rust-fuzz -runs=100000 " + small)}},
		{name: "fuzzing C++", budget: seconds(400), steps: []step{run("tools/cpp-fuzz -runs=100000 " + small)}},
		{name: "optimized C++", budget: seconds(400), steps: []step{
			quietly(append([]string{"go", "run", "./conformance/runners/cpp/build", "-out", "target/optimized", "-flags", "-std=c++17 -O2", "-make", "runner"}, schemas()...)...),
			run("python3 -m conformance.harness cpp --program target/optimized/runner --jobs 2"),
		}},
		{name: "C++ compilers", budget: seconds(400), steps: []step{run("tools/cpp-compilers")}},
		{name: "C++ tests by gcc", budget: seconds(250), steps: append(cmakeTests(".", "target/cpp-gcc"), cmakeTests("mxp/cpp", "target/mxp-cpp-gcc", mxpTests...)...)},
		{name: "Go's races", budget: seconds(130), steps: []step{
			run("go test -race -skip " + measuring + " ./compiler/backend/golang"), run("go test -race ./...").within("mxp/go"),
		}},
		{name: "C++ threads' races", budget: seconds(200), steps: []step{
			quietly(append([]string{"cmake", "-S", "mxp/cpp", "-B", "target/mxp-races", "-DCMAKE_CXX_COMPILER=" + clang.name, "-DCMAKE_CXX_FLAGS=-fsanitize=thread"}, mxpTests...)...),
			quietly("cmake --build target/mxp-races -j2 --target mxp_net_test mxp_shm_test mxp_channels_test"), run("target/mxp-races/tests/mxp_net_test --gtest_brief=1"),
			run("target/mxp-races/tests/mxp_shm_test --gtest_brief=1").with("MXP_KILLS=150"),
			run("target/mxp-races/tests/mxp_channels_test --gtest_brief=1"),
		}},
		{name: "real time with a sanitizer", budget: seconds(60), steps: []step{run("go run ./conformance/realtime sanitizer")}},
		{name: "waiting in all orders", budget: seconds(150), steps: []step{run("cargo test --quiet --release --locked").within("mxp/rust/model")}},
		{name: "1,000 kills of who shares memory", budget: seconds(400), steps: []step{
			run("cargo test --quiet -p mesh-exchange-protocol --all-features --test shm killed").with("MXP_KILLS=500"),
		}},
		{name: "hostile peers that share memory", budget: seconds(240), steps: []step{run("tools/hostile-memory 20")}},
		{name: "playground in a browser", budget: seconds(150), folder: playgroundMade, packages: playgroundFolder, needs: []requirement{chromium}, steps: append(playground(),
			run("node --test --test-reporter=spec --test-name-pattern=small "+playgroundTests+"/wasm.test.mjs").with("PLAYGROUND_SIZE=exact"),
			run("node --test --test-reporter=spec "+playgroundTests+"/browser.test.mjs"),
		)},
		{name: "site", budget: seconds(300), packages: playgroundFolder, needs: []requirement{chromium}, steps: []step{
			run("go run ./tools/site"), run("go run ./tools/site check"), run("node --test --test-reporter=spec tools/site/tests/site.test.mjs"),
		}},
		{name: "grammar", budget: seconds(150), needs: []requirement{java, maven}, steps: []step{run("go run ./tools/grammar")}},
		{name: "editors of others", budget: seconds(60), packages: "conformance/editors", needs: []requirement{neovim}, steps: []step{run("conformance/editors/run.sh")}},
		{name: "100,000 edits of schemas", budget: seconds(350), steps: []step{
			run("go test -count=1 -timeout 60m ./compiler/lsp -run RandomEdits -v -edits 100000 -seed " + number), run("go test -count=1 -v -run Speed ./compiler/lsp -idle"),
		}},
		{name: "release", budget: seconds(1800), needs: []requirement{qemuARM, rpm, lintian, iproute, ruby, wine, wine64, mingw}, steps: []step{run("go run ./tools/release rehearse")}},
		{name: "grammar for editors", budget: seconds(500), steps: []step{
			run("tools/tree-sitter --check"),
			quietly("go vet ./...").within(grammarFolder), run("go test -count=1 ./... -v -args -seed " + number).within(grammarFolder),
			quietly("cargo check --locked --manifest-path editors/zed/Cargo.toml --target-dir target/zed"),
		}},
		{name: "VS Code in a browser", budget: seconds(300), needs: []requirement{chromium}, packages: extensionFolder, steps: []step{
			quietly("go build -o target/sdp ./cmd/sdp"),
			run("npm run --silent check").within(extensionFolder), run("npm run --silent build").within(extensionFolder),
			run("npm test --silent").within(extensionFolder).with(toolOfEditors()),
			run(extensionFolder + "/tests/install-code"), run("npm run --silent test-browser").within(extensionFolder).with(toolOfEditors()),
		}},
		{name: "Neovim and Emacs", budget: seconds(60), needs: []requirement{neovim, emacs, eglot}, steps: []step{
			quietly("go build -o target/sdp ./cmd/sdp"),
			run("editors/neovim/tests/run").with(toolOfEditors()), run("editors/emacs/tests/run").with(toolOfEditors()),
		}},
		{name: "200 MB conversion", budget: seconds(90), steps: []step{run("go test -run Memory ./cmd/sdp").with("SDP_CONVERT_MB=200")}},
		{name: "Rust features", budget: seconds(200), steps: []step{run("tools/rust-features"), run("tools/smallest-rust each")}},
		{name: "Go bench tests", budget: seconds(60), needs: []requirement{flatc}, steps: slices.Concat(benchCode(), lintGo("./bench/compile/...", "./bench/go/...", "./bench/mxp-go/...", "./bench/rpc/go/..."), []step{
			inWorkspace(run("go test -tags sdp ./bench/compile ./bench/go/... ./bench/rpc/go/...")),
		})},
		{name: "Rust bench tests", budget: seconds(65), folder: workspaceFolder, needs: []requirement{protoc, flatc, capnp}, steps: []step{
			quietly("bench/rust/generate.sh"), cargo("test", "bench/rust", workspaceFolder, "--features", "sdp"),
		}},
		{name: "tiny build costs", budget: seconds(12), steps: []step{run("bench/compile/bench.sh -once")}},
		{name: "C++ bench tests", budget: seconds(200), steps: append([]step{run("bench/cpp/install.sh"), quietly("bench/cpp/generate.sh")},
			append(append(cmakeTests("bench/cpp", "bench/cpp/build", "-DSDPBENCH_SDP=ON"), run("bench/rpc/cpp/install.sh"), quietly("bench/rpc/cpp/generate.sh")),
				cmakeTests("bench/rpc/cpp", "bench/rpc/cpp/build/debug", "-DRPCBENCH_SDP=ON", "-DCMAKE_BUILD_TYPE=debug")...)...)},
		{name: "benchmarks once", budget: seconds(400), folder: workspaceFolder, steps: []step{
			run("bench/bench.sh -once"), quietly("python3 -m unittest discover -s bench/rpc/runner"), quietly("python3 -m unittest discover -s bench/shm"),
			run("bench/rpc/bench.sh --once"), run("bench/shm/bench.sh --once"), quietly("bench/python/run.sh --rounds 0"),
		}},
		{name: "Miri", budget: seconds(600), steps: []step{run("tools/miri")}},
		{name: "C++ in Memcheck", budget: seconds(500), steps: []step{run("tools/cpp-machine valgrind")}},
		{name: "Windows", budget: seconds(1500), needs: []requirement{wine, wine64, mingw, mingwCpp}, steps: []step{
			run("tools/windows go"), run("tools/windows vectors"), run("tools/windows rust"), run("tools/windows pairs"),
		}},
		{name: "Windows, MXP in C++", budget: seconds(900), needs: []requirement{wine, wine64, mingw, mingwCpp}, steps: []step{run("tools/windows cpp")}},
		{name: "Windows, C and Python", budget: seconds(150), needs: []requirement{wine, wine64, mingw, mingwCpp}, steps: []step{
			run("tools/windows c"), run("tools/windows python"),
		}},
		{name: "macOS, linked", budget: seconds(1100), needs: []requirement{asio, googletest, xxhash}, steps: []step{
			run("tools/macos go"), run("tools/macos rust"), run("tools/macos cpp"),
		}},
	}, machineParts()...)
}

// The folders of the Tree-sitter grammar, of VS Code's extension, and of the example of a move
// from gRPC.
const (
	grammarFolder   = "editors/tree-sitter-sdp"
	extensionFolder = "editors/vscode"
	migrationFolder = "examples/migration"
)

// toolOfEditors says which program's language server the tests of editors start.
func toolOfEditors() string { return "SDP_PROGRAM=" + filepath.Join(here, "target", "sdp") }

// supplies are the parts that make what exploring uses.
func supplies() []*part { return append(frameRunners(), demos()...) }

// turnOfHead is the name and the seed of the last commit's part.
func turnOfHead() (string, uint64, error) {
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "", 0, fmt.Errorf("git rev-parse HEAD: %w", err)
	}
	found, seed, err := turn(strings.TrimSpace(string(commit)))
	if err != nil {
		return "", 0, err
	}
	return found.name, seed, nil
}

// turn is the part of exploring that a commit is given: its hash chooses one of so
// many, so that a few dozen commits have had all of them, and the same commit has the
// same one again, with the same seed.
func turn(commit string) (p *part, seed uint64, err error) {
	if len(commit) < 16 {
		return nil, 0, fmt.Errorf("%q is no commit's hash", commit)
	}
	seed, err = strconv.ParseUint(commit[:8], 16, 64)
	if err != nil {
		return nil, 0, err
	}
	chosen, err := strconv.ParseUint(commit[8:16], 16, 64)
	if err != nil {
		return nil, 0, err
	}
	parts := exploreParts(seed)
	return parts[chosen%uint64(len(parts))], seed, nil
}

// engines let other releases of Node, and Bun and Deno, run TypeScript's vectors, its tests and its MXP's tests.
func engines() []step {
	const folder = "conformance/runners/typescript/"
	const packages = folder + "engines/node_modules/"
	steps := []step{
		quietly(append([]string{"go", "run", "./conformance/runners/typescript/build", "-tests"}, schemas()...)...),
		quietly("runtime/typescript/node_modules/.bin/tsc -p mxp/typescript/tests"),
		quietly("npm ci --no-audit --no-fund").within(folder + "engines"),
	}
	for _, engine := range []struct{ run, test string }{
		{packages + "node-22/bin/node --stack-size=800", packages + "node-22/bin/node --expose-gc --test"},
		{packages + "node-26/bin/node --stack-size=800", packages + "node-26/bin/node --expose-gc --test"},
		{packages + ".bin/bun", packages + ".bin/bun test --timeout=60000"},
		{packages + ".bin/deno run -A", packages + ".bin/deno test -A --no-check --v8-flags=--expose-gc"},
	} {
		tests := folder + "out/js/{values,numbers,views,fuzz}.test.js mxp/typescript/out/mxp/typescript/tests/{frames,session,engine,net,several,budget,provided,state,websocket}.test.js"
		steps = append(steps,
			run("python3", "-m", "conformance.harness", "typescript", "--program", engine.run+" "+folder+"out/js/main.js"),
			shell("for file in "+tests+"; do "+engine.test+" ./$file; done"))
	}
	return steps
}
