# Every target installs what it needs, and prints what each of its parts took.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# The smallest Go that generated code and its runtime are for.
GO_MIN := 1.23.12
INPUT ?= examples/registry/lv2-62.json
FUZZ_COUNT := 100000
FUZZ_TIME ?= 10m
FUZZED := ./runtime/go ./compiler/syntax ./compiler/format ./compiler/check ./compiler/interp ./compiler/talk ./compiler/tap ./compiler/backend/golang
# What generated code consists of: the runtime, and the golden code with its tests.
GENERATED := ./runtime/go ./compiler/backend/golang
# A project is configured and built without a word, unless something is wrong.
cmake_tests = cmake -S $(1) -B $(2) $(3) >/dev/null && cmake --build $(2) -j$$(nproc) >/dev/null && ctest --test-dir $(2) -j$$(nproc) --output-on-failure | grep -vE '^ +Start|Passed'
CPP_TESTS := $(call cmake_tests,.,target/cpp)
CPP_BENCH_TESTS := bench/cpp/install.sh && bench/cpp/generate.sh >/dev/null && $(call cmake_tests,bench/cpp,bench/cpp/build,-DSDPBENCH_SDP=ON)
MXP_TESTS := $(call cmake_tests,mxp/cpp,target/mxp-cpp,-DMXP_TESTS=ON -DMXP_TLS=ON)
# Go modules of their own, since what they need is not what the tool needs.
MODULES := mxp/go conformance/runners/mxp/go conformance/services/pairs conformance/simulation bench/mxp-go bench/rpc/go examples/mxp/go
FRAMES := conformance/runners/mxp
FRAME_RUNNERS := (cd $(FRAMES)/go && go build -o out/runner .) && cargo build --quiet --locked --manifest-path $(FRAMES)/rust/Cargo.toml --target-dir target/frames && $(MAKE) --silent -C $(FRAMES)/cpp
DEMOS := (cd examples/mxp/go && go build -o out/mxp_demo .) && cargo build --quiet --locked --manifest-path examples/mxp/rust/Cargo.toml --target-dir target/examples && cmake -S examples/mxp/cpp -B target/mxp-examples -DCMAKE_UNITY_BUILD=ON >/dev/null && cmake --build target/mxp-examples -j$$(nproc) >/dev/null
SIMULATE := cd conformance/simulation && go run .
SEED ?= 1
PAIR ?= go,go
PUBLISH := cargo publish --dry-run --allow-dirty --quiet

# What fails is also named at the end, behind what runs beside it.
FAILED := target/failed-parts
part = @echo "--- $(1)"; unset MAKEFLAGS MFLAGS; start=$$SECONDS; { $(2); } && echo "    $(1): $$((SECONDS - start)) s" || { mkdir -p target; echo "$(1)" >>$(CURDIR)/$(FAILED); echo "    $(1): failed" >&2; exit 1; }
# Two targets beside each other, of which none uses what the other makes. A part is printed when it ends.
beside = @rm -f $(FAILED); $(MAKE) --no-print-directory -Oline -j2 $(1) || { echo "make $@: failed: $$(paste -sd, $(FAILED) 2>/dev/null)" >&2; exit 1; }

.PHONY: help demo test test-code test-vectors test-all test-more test-more-c++ check bench bench-mxp golden fuzz conformance simulate tools

help: ## Prints this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/make \1\t\2/' | expand -t 20

demo: ## Takes 62 real audio plugins through a schema, into bytes and back (INPUT=other.json for another registry)
	@command -v go >/dev/null || { echo "make: Go is missing; see https://go.dev/dl" >&2; exit 1; }
	@echo "sdp gen"; go run ./cmd/sdp gen --config examples/registry/sdp.toml
	@echo; cd bench/go && go run ./cmd/demo -input "$(abspath $(INPUT))"

tools:
	@command -v go >/dev/null || { echo "make: Go is missing; see https://go.dev/dl" >&2; exit 1; }
	@command -v cargo >/dev/null || { echo "make: Rust is missing; see https://rustup.rs" >&2; exit 1; }
	@python3 -c 'import tomllib' 2>/dev/null || { echo "make: Python 3.11 is missing" >&2; exit 1; }
	@command -v git >/dev/null || { echo "make: git is missing" >&2; exit 1; }
	@tools/from-debian g++ g++ && tools/from-debian cmake cmake && tools/from-debian clang-format-16 clang-format-16
	@test -e /usr/include/gtest/gtest.h || tools/from-debian libgtest-dev libgtest-dev
	@test -e /usr/include/xxhash.h || tools/from-debian libxxhash-dev libxxhash-dev
	@test -e /usr/include/asio.hpp || tools/from-debian libasio-dev libasio-dev
	@test -e /usr/include/openssl/ssl.h || tools/from-debian libssl-dev libssl-dev
	@tools/from-debian openssl openssl

check: tools ## Looks at the code without running it: format, vet, staticcheck
	$(call part,generated,go run ./cmd/sdp gen --config spec/sdp.toml --check)
	$(call part,gofmt,test -z "$$(gofmt -l $$(git ls-files '*.go') | tee /dev/stderr)")
	$(call part,go vet,go vet ./... ./compiler/backend/golang/testdata/golden/... && cd bench/go && ./generate.sh >/dev/null && go vet -tags sdp ./... && cd ../.. && for module in $(MODULES); do (cd $$module && go vet ./...) || exit 1; done)
	$(call part,rustfmt,cargo fmt --all --check && for project in bench/rust bench/mxp-rust bench/rpc/rust $(FRAMES)/rust examples/mxp/rust examples/services/rust; do (cd $$project && cargo fmt --check) || exit 1; done)
	$(call part,clippy,cargo clippy --quiet --workspace --all-targets --all-features -- -D warnings)
	$(call part,rustdoc,RUSTDOCFLAGS="-D warnings" cargo doc --quiet --no-deps --all-features -p serial-data-protocol -p sdp-build -p mesh-exchange-protocol)
	$(call part,clang-format,clang-format-16 --style=file:runtime/cpp/.clang-format --dry-run -Werror $$(git ls-files '*.cpp' '*.hpp'))
	$(call part,staticcheck,go run $(STATICCHECK) ./... ./compiler/backend/golang/testdata/golden/... && cd bench/go && go run $(STATICCHECK) -tags sdp ./... && cd ../.. && for module in $(MODULES); do (cd $$module && go run $(STATICCHECK) ./...) || exit 1; done)

conformance: tools ## Runs all vectors in every language, and measures which clauses are covered
	$(call part,reference,python3 -m unittest discover -s conformance/reference/tests -t .)
	$(call part,harness,python3 -m unittest discover -s conformance/harness/tests -t .)
	$(call part,Go runner,go run ./conformance/runners/go/build conformance/schemas/*.sdp && cd conformance/runners/go/out && go test .)
	$(call part,Rust runner,go run ./conformance/runners/rust/build -check conformance/schemas/*.sdp && cd conformance/runners/rust/out && cargo test --quiet --target-dir "$(CURDIR)/target/conformance")
	$(call part,C++ runner,go run ./conformance/runners/cpp/build -make "runner values_test" conformance/schemas/*.sdp && conformance/runners/cpp/out/values_test --gtest_brief=1)
	$(call part,frame runners,$(FRAME_RUNNERS))
	$(call part,vectors,python3 -m conformance.harness --jobs $$(nproc))

simulate: tools ## Prints what two sessions of MXP do on a bad network (SEED=1, PAIR=go,rust)
	@$(FRAME_RUNNERS)
	@$(SIMULATE) -seed $(SEED) -pair $(PAIR)

test: tools ## Every test of every language there is
	$(call beside,test-code test-vectors)

test-code: check
	$(call part,Go tests,go test -timeout 30m ./... && cd mxp/go && go test ./...)
	$(call part,Rust tests,cargo test --quiet --workspace --all-features)
	$(call part,bench tests,cd bench/go && ./generate.sh >/dev/null && go test -tags sdp ./...)
	$(call part,Rust bench tests,cd bench/rust && ./generate.sh >/dev/null && cargo test --quiet --features sdp)
	$(call part,services of every pair,go run ./conformance/services/build go rust cpp && cd conformance/services/pairs && go test -count=1 .)

test-vectors: conformance
	$(call part,simulation,cd conformance/simulation && go test ./... && go run . -count 300)
	$(call part,C++ tests,$(CPP_TESTS) && $(MXP_TESTS))
	$(call part,every pair of languages,$(DEMOS) && cd examples/mxp/go && go test -count=1 .)

test-all: tools ## What takes longer: other machines, the race detector, fuzzing, random schemas
	$(call beside,test-more test-more-c++)

test-more:
	$(call part,random schemas,go run ./conformance/random -seed 1 -cpp-schemas 2)
	$(call part,simulation,$(FRAME_RUNNERS) && $(SIMULATE) -count 10000)
	$(call part,race,go test -race $(GENERATED) && cd mxp/go && go test -race ./...)
	$(call part,killed peers,$(DEMOS) && cd examples/mxp/go && MXP_KILLS=340 go test -count=1 -run Killed .)
	$(call part,idle connections,cd examples/mxp/go && MXP_IDLE=10000 MXP_ACTIVE=1000 go test -count=1 -run IdleConnections .)
	$(call part,32 bits,GOARCH=386 go test $(GENERATED) && cd mxp/go && GOARCH=386 go test ./...)
	@tools/from-debian qemu-s390x qemu-user
	$(call part,big-endian,GOARCH=s390x go test -exec qemu-s390x $(GENERATED) && cd mxp/go && GOARCH=s390x go test -exec qemu-s390x ./frame ./session)
	$(call part,smallest Go,tools/smallest-go $(GO_MIN))
	$(call part,smallest Rust,tools/smallest-rust)
	$(call part,bare metal,tools/bare-metal)
	$(call part,crates,$(PUBLISH) -p serial-data-protocol -p sdp-build -p mesh-exchange-protocol)
	$(call part,C++ bench tests,$(CPP_BENCH_TESTS))
	$(call part,200 MB conversion,SDP_CONVERT_MB=200 go test -run Memory ./cmd/sdp)
	$(call part,benchmarks once,bench/bench.sh -once && python3 -m unittest discover -s bench/rpc/runner && bench/rpc/bench.sh --once)
	$(call part,Rust features,tools/rust-features)
	$(call part,Rust with 32 bits,tools/rust-machine i686-unknown-linux-musl)
	$(call part,big-endian Rust,tools/rust-machine s390x-unknown-linux-gnu)
	$(call part,Miri,tools/miri)
	$(call part,fuzzing,go run ./tools/fuzzcount -count $(FUZZ_COUNT) $(FUZZED) && go build -o target/fuzzcount ./tools/fuzzcount && cd mxp/go && ../../target/fuzzcount -count $(FUZZ_COUNT) ./frame ./session)
	$(call part,Rust fuzzing,tools/rust-fuzz -runs=$(FUZZ_COUNT) -seed=1)

test-more-c++:
	$(call part,C++ compilers,tools/cpp-compilers)
	$(call part,C++ with sanitizers,tools/cpp-machine sanitizers)
	$(call part,C++ in Memcheck,tools/cpp-machine valgrind)
	$(call part,C++ with 32 bits,tools/cpp-machine i686)
	$(call part,big-endian C++,tools/cpp-machine s390x)
	$(call part,C++ fuzzing,tools/cpp-fuzz -runs=$(FUZZ_COUNT) -seed=1)

bench-mxp: tools ## Measures MXP beside HTTP, gRPC and others, and stamps docs/guide/performance.md
	bench/rpc/bench.sh

bench: tools ## Measures SDP and its peers, and stamps README's table
	bench/bench.sh

golden: tools ## Writes all golden files and generated examples anew
	go run ./tools/specgen
	go test ./compiler/check ./compiler/compat ./compiler/driver ./compiler/format ./compiler/lint ./compiler/plan -update
	go test ./compiler/backend/golang ./compiler/backend/rust ./compiler/backend/cpp -run Golden -update
	UPDATE_SCRIPTS=1 go test -run Scripts ./cmd/sdp
	go test ./examples -update

fuzz: ## Fuzzes every decoder and the front end (FUZZ_TIME=10m for each)
	go run ./tools/fuzzcount -time $(FUZZ_TIME) $(FUZZED)
	tools/rust-fuzz -runs=$(FUZZ_COUNT)
	tools/cpp-fuzz -runs=$(FUZZ_COUNT)
	go run ./conformance/random
	seed=$$(date +%s); echo "edits with seed $$seed"; go test ./compiler/compat -seed=$$seed -rounds=100 -timeout 1h
