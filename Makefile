# A target is a line. What it does lies in tools/dev, which installs what is missing and prints what each part took.
.DEFAULT_GOAL := help
INPUT ?= examples/registry/lv2-62.json
SEED ?= 0
PAIR ?= go,go
SOAK ?= 600
export GO := $(shell command -v go || echo "echo make: Go is missing, see https://go.dev/dl >&2; false")
DEV := @$(GO) run ./tools/dev

.PHONY: help demo test test-all explore realtime parts tools simulate soak bench bench-mxp bench-compile playground site golden release

help: ## Prints this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: ## Takes 62 real audio plugins through a schema, into bytes and back (INPUT=other.json for another registry)
	$(DEV) demo $(abspath $(INPUT))

test: ## Every test of every language there is
	$(DEV) test

test-all: ## What gates a change beside test: linters, odd and random schemas, races, documents
	$(DEV) test-all

explore: ## Looks for new cases: fuzzing, random schemas, Miri, Memcheck, other machines (SEED=7 does the same again)
	$(DEV) explore --seed $(SEED)

realtime: ## Proves that codecs are fit for real-time threads, and measures how long they take
	@$(GO) run ./conformance/realtime

parts: ## Lists the parts that these consist of, and what each may cost
	$(DEV) parts

tools: ## Installs what the tests need
	$(DEV) tools

simulate: ## Prints what two sessions of MXP do on a bad network (SEED=1, PAIR=go,rust)
	$(DEV) simulate -seed $(SEED) -pair $(PAIR)

soak: ## Restarts, kills and attacks servers of every language for 10 minutes, all at once, while they are called (SOAK=60)
	$(DEV) soak $(SOAK)

bench: tools ## Measures SDP and its peers, and stamps their pages
	@bench/bench.sh

bench-mxp: tools ## Measures MXP beside HTTP, gRPC and others, and stamps their pages
	@bench/rpc/bench.sh

bench-compile: tools ## Measures what generated code costs to build beside its peers', and stamps their pages
	@bench/compile/bench.sh

playground: ## Makes the playground, a page with the compiler in it, as static files in target/playground
	$(DEV) playground

site: ## Makes the site of the documents, with a search and pages of MXP's schemas, as static files in target/site
	$(DEV) site

release: ## Makes the files of a release in target/dist, installs each where nothing else is, and tries it
	@$(GO) run ./tools/release build --try

golden: ## Writes all golden files and generated examples anew
	$(DEV) golden
