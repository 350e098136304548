#!/usr/bin/env bash
# Installs the peers' generators, and measures what code costs to build: bench.sh [FLAG...] [WORD...]; the README beside this says what with.
# With -once nothing is installed; with neither flags nor words the tables of docs are stamped afterwards.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
tools=$root/target/compile

case " $* " in
*" -once "* | *" -table "* | *" -stamp "*) ;;
*)
	../cpp/install.sh
	../../tools/from-debian /usr/include/asio.hpp libasio-dev
	../../tools/from-debian /usr/include/xxhash.h libxxhash-dev
	version() { (cd ../go && go list -m -f '{{.Version}}' "$1"); }
	export GOBIN=$tools/bin
	go install "google.golang.org/protobuf/cmd/protoc-gen-go@$(version google.golang.org/protobuf)"
	go install "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto@$(version github.com/planetscale/vtprotobuf)"
	CARGO_TARGET_DIR=$tools/prost cargo install --quiet --locked --root "$tools" protoc-gen-prost@0.5.0
	;;
esac
go build -o "$tools/bench" .
"$tools/bench" -root "$root" "$@"
if (($# == 0)); then "$tools/bench" -root "$root" -stamp; fi
