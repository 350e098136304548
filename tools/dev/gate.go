package main

import (
	"slices"
	"strings"
	"time"
)

// clangFormatStyle is the style of the repository's C++.
const clangFormatStyle = "--style=file:runtime/cpp/.clang-format"

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// shell is a step of several commands, for programs that take a list of files.
func shell(script string) step { return run("bash", "-euo", "pipefail", "-c", script) }

// testParts are what `make test` runs.
func testParts() []*part {
	return slices.Concat(lookingParts(), frameRunners(), conformanceParts(), goParts(), rustParts(), cppParts(), pairParts())
}

// lookingParts look at code without compiling it.
func lookingParts() []*part {
	// Crates outside of the workspace.
	crates := []string{
		"bench/rust", "bench/mxp-rust", "bench/rpc/rust", "bench/shm", "compiler/backend/rust/fuzz", "conformance/runners/mxp/rust",
		"editors/zed", "examples/audio/rust", "examples/mesh/rust", "examples/mxp/rust", "examples/rust-build", "examples/services/rust", "mxp/rust/fuzz", "mxp/rust/model",
		"runtime/python/native",
	}
	format := []step{
		shell("gofmt -l $(git ls-files '*.go')").checked(printsNothing),
		quietly("cargo fmt --all --check"),
		// Files that are laid beside generated modules are no crate where they lie: each is looked at by itself.
		shell("for file in $(git ls-files 'conformance/realtime/rust/*.rs' 'conformance/runners/rust/*.rs' 'conformance/services/rust/*.rs'); do\n" +
			"rustfmt --edition 2021 <$file | diff -u $file -\ndone"),
		shell("clang-format-16 " + clangFormatStyle + " --dry-run -Werror $(git ls-files '*.cpp' '*.hpp')"),
	}
	for _, crate := range crates {
		format = append(format, quietly("cargo", "fmt", "--check", "--manifest-path", crate+"/Cargo.toml"))
	}
	return []*part{
		{name: "generated", budget: seconds(4), steps: []step{
			quietly("go run ./cmd/sdp gen --config spec/sdp.toml --check"), quietly("go run ./cmd/sdp gen --config mesh/sdp.toml --check"),
			quietly("go test -count=1 -run ^TestPageOfCommandsIsThatOfTheHelp$ ./cmd/sdp"),
		}},
		{name: "format", budget: seconds(7), steps: format},
		{name: "lines of backends", budget: seconds(1), steps: []step{
			shell("go test -v -run TestBackendsStayWithinTheirBudget ./compiler | grep lines"),
		}},
	}
}

// frameRunners make the programs that answer about frames and sessions.
func frameRunners() []*part {
	const folder = "conformance/runners/mxp/"
	return []*part{
		{name: "frame runner in Go", budget: seconds(2), steps: []step{run("go build -o out/runner .").within(folder + "go")}},
		{name: "frame runner in TypeScript", budget: seconds(22), packages: "mxp/typescript", steps: []step{
			run("runtime/typescript/node_modules/.bin/tsc", "-p", folder+"typescript"),
			run("runtime/typescript/node_modules/.bin/tsc", "-p", "mxp/typescript/tests"), quietly("node --test --test-timeout=120000 --test-concurrency=2 frames.test.js session.test.js engine.test.js net.test.js acks.test.js hostile.test.js several.test.js budget.test.js costs.test.js provided.test.js state.test.js websocket.test.js").within("mxp/typescript/out/mxp/typescript/tests"),
		}},
		{name: "frame runner in Rust", budget: seconds(12), folder: frameFolder, steps: []step{cargo("build", folder+"rust", frameFolder, "--locked")}},
		{name: "frame runner in C++", budget: seconds(15), steps: []step{run("make", "--silent", "-C", folder+"cpp", "CXX="+clang.name, "CXXFLAGS=-O0 "+clangTraps)}},
	}
}

// conformanceParts run the vectors in every language.
func conformanceParts() []*part {
	build := func(language string, options ...string) step {
		return quietly(slices.Concat([]string{"go", "run", "./conformance/runners/" + language + "/build"}, options, schemas())...)
	}
	const out = "conformance/runners/"
	return []*part{
		{name: "reference", budget: seconds(3), steps: []step{
			quietly("python3 -m unittest discover -s conformance/reference/tests -t ."),
			quietly("python3 -m unittest discover -s conformance/harness/tests -t ."),
		}},
		{name: "runner in Go", budget: seconds(6), steps: []step{build("go"), run("go test .").within(out + "go/out")}},
		{name: "runner in Rust", budget: seconds(62), folder: vectorFolder, steps: []step{build("rust", "-check"), cargo("test", out+"rust/out", vectorFolder)}},
		{name: "runner in C++", budget: seconds(130), steps: []step{
			build("cpp", "-cxx", clang.name, "-flags", "-std=c++17 -O0 "+clangTraps, "-make", "runner values_test"), run(out + "cpp/out/values_test --gtest_brief=1"),
		}},
		{name: "runner in TypeScript", budget: seconds(26), steps: []step{
			build("typescript", "-tests"),
			run("runtime/typescript/node_modules/.bin/eslint", "-c", "runtime/typescript/eslint.config.js", "--no-inline-config",
				"--ignore-pattern", "**/out/src/*.ts", "runtime/typescript/src", out+"typescript/out/src"),
			quietly("node --expose-gc --test js/values.test.js js/numbers.test.js js/views.test.js js/fuzz.test.js").within(out + "typescript/out"),
			quietly("go run ./tools/javascript -check"),
			quietly(append([]string{"node", out + "typescript/javascript.test.mjs", out + "typescript/out/sdp", out + "typescript/numbers.sdp"}, schemas()...)...),
		}},
		pythonRunner(),
		{name: "vectors", budget: seconds(76), after: append(names(frameRunners()), "runner in Go", "runner in Rust", "runner in C++", "runner in Python", "runner in TypeScript"), steps: []step{
			run("python3 -m conformance.harness --jobs 2 --without mxp/engine/"),
		}},
		{name: "simulation", budget: seconds(10), after: names(frameRunners()), steps: []step{
			run("go run . -count 300").within("conformance/simulation"),
		}},
	}
}

func names(parts []*part) (list []string) {
	for _, p := range parts {
		list = append(list, p.name)
	}
	return list
}

// slow are Go packages whose tests compile so much of other languages that they are
// parts of their own.
var slow = []string{"compiler/backend/cpp", "examples", "tools/snippets"}

// unusual are the tests of generated C++ that compile most: of names and shapes as nobody
// has them, and of JSON of all shapes.
const unusual = "TestHostile|TestUnusual|TestServicesCompile|TestJSON"

// goParts test every package of every module, but for the packages of programs that other parts make.
func goParts() []*part {
	// Vet is a part of its own.
	test := []string{"go", "test", "-vet=off", "-timeout", "15m"}
	quick := shell("go test -vet=off -timeout 15m $(go list ./... | grep -vE '/(" + strings.Join(slow, "|") + ")$') " + golden)
	return []*part{
		{name: "Go tests", budget: seconds(120), steps: []step{inWorkspace(quick)}},
		{name: "Go tests of other modules", budget: seconds(25), after: []string{"Go tests"}, steps: []step{
			inWorkspace(run(append(test, "./runtime/...", "./mxp/go/...", "./conformance/telemetry/...", "./conformance/simulation/...", "./conformance/runners/mxp/go/...")...)),
		}},
		// Compiling NATS, once for each machine, is not in the budget.
		{name: "mesh", budget: seconds(12), after: []string{"Go tests"}, steps: []step{run(append(test, "./...")...).within("mesh")}},
		{name: "tools of agents", budget: seconds(11), after: []string{"Go tests"}, steps: []step{run(append(test, "./...")...).within("mcp")}},
		{name: "generated C++", budget: seconds(60), steps: []step{run(append(test, "./compiler/backend/cpp", "-skip", unusual)...)}},
	}
}

func rustParts() []*part {
	return []*part{{name: "Rust tests", budget: seconds(165), folder: workspaceFolder, steps: []step{
		run("cargo test --quiet --workspace --exclude mxp-c --all-features --all-targets"),
	}}}
}

func cppParts() []*part {
	return []*part{
		{name: "C++ tests", budget: seconds(38), steps: cmakeTests(".", "target/cpp", sanitized...)},
		{name: "MXP's C++ tests", budget: seconds(166), steps: cmakeTests("mxp/cpp", "target/mxp-cpp", slices.Concat(sanitized, mxpTests)...)},
	}
}

// pairParts let programs of each pair of languages talk to each other.
func pairParts() []*part {
	return append(demos(), &part{name: "every pair", budget: seconds(16), after: names(demos()), steps: []step{
		run("go vet -tags=soak .").within("examples/mxp/go"),
		run("go test -count=1 -skip Killed|RestartsLose .").within("examples/mxp/go"), // which are a part of their own,
	}}, &part{name: "endpoints", budget: seconds(80), after: names(demos()), steps: []step{
		run("go test -count=1 -tags=endpoints -parallel=6 ./conformance/peer"),
	}})
}

// demos make the programs of examples/mxp.
func demos() []*part {
	return []*part{
		{name: "demo in Go", budget: seconds(2), steps: []step{run("go build -o out/mxp_demo .").within("examples/mxp/go")}},
		{name: "demo in Rust", budget: seconds(40), folder: exampleFolder, steps: []step{cargo("build", "examples/mxp/rust", exampleFolder, "--locked")}},
		{name: "demo in C++", budget: seconds(65), steps: cppDemo("None")},
		{name: "demo in TypeScript", budget: seconds(10), steps: []step{
			run("runtime/typescript/node_modules/.bin/tsc -p mxp/typescript"),
			run("npm ci --silent").within("examples/mxp/typescript"),
			run("runtime/typescript/node_modules/.bin/tsc -p examples/mxp/typescript"),
			run("chmod +x examples/mxp/typescript/out/main.js"),
		}},
	}
}

// cppDemo makes the program in C++: by type Release, which is what CMake makes where nobody asks for
// another, or by type None as compilers do without options, which takes half the time.
func cppDemo(buildType string) []step {
	return []step{
		quietly("cmake -S examples/mxp/cpp -B target/mxp-examples -DCMAKE_UNITY_BUILD=ON -DCMAKE_BUILD_TYPE=" + buildType),
		quietly("cmake --build target/mxp-examples"),
	}
}
