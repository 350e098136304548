#!/usr/bin/env bash
# Generates SDP's code for the benchmarks' schemas, and measures it beside its peers: bench.sh [go|rust|cpp] [FLAG...]. Frames of MXP: bench.sh mxp.
# Without a language it's all of them. Without flags docs/performance.md, README's summary and docs/guide/tables-*.md are stamped afterwards.
set -euo pipefail
cd "$(dirname "$0")"

go_bench() (
	cd go
	./generate.sh
	go build -tags sdp -o sdpbench ./cmd/sdpbench
	./sdpbench "$@"
)

# Go's flags may have one dash, the others' have two: writes them to flags.
two_dashes() {
	flags=("${@/#--/-}")
	flags=("${flags[@]/#-/--}")
}

rust_bench() (
	cd rust
	./install.sh
	./generate.sh
	two_dashes "$@"
	if [[ " ${flags[*]} " == *" --once "* ]]; then
		# A run that times nothing needs no optimized build.
		cargo run --quiet --features sdp --bin sdpbench -- "${flags[@]}"
		return
	fi
	for allocator in sdpbench sdpbench-mimalloc; do
		cargo run --quiet --release --features sdp --bin "$allocator" -- "${flags[@]}"
	done
)

cpp_bench() (
	cd cpp
	./install.sh
	./generate.sh
	two_dashes "$@"
	cmake -S . -B build -DSDPBENCH_SDP=ON >/dev/null
	cmake --build build --target sdpbench >/dev/null
	build/sdpbench "${flags[@]}"
)

# Frames of MXP, beside the hash that they rest on: mxp_bench ROUNDS FOLDER.
mxp_bench() (
	rounds=$1 results=$2
	mkdir -p "$results"
	echo Go
	(cd mxp-go && go run . -rounds "$rounds" -json "$results/go.json")
	echo Rust
	(cd mxp-rust && cargo run --quiet --release -- --rounds "$rounds" --json "$results/rust.json")
	echo C++
	[[ -e /usr/include/xxhash.h ]] || ../tools/from-debian libxxhash-dev libxxhash-dev
	cmake -S mxp-cpp -B mxp-cpp/build >/dev/null
	cmake --build mxp-cpp/build >/dev/null
	mxp-cpp/build/mxpbench --rounds "$rounds" --json "$results/cpp.json"
)

case "${1-}" in
mxp)
	mxp_bench 101 "$PWD/results/frames"
	exit
	;;
go | rust | cpp)
	language=$1
	shift
	"${language}_bench" "$@"
	;;
-table | -stamp | -generate)
	go_bench "$@"
	;;
*)
	go_bench "$@"
	rust_bench "$@"
	cpp_bench "$@"
	case " $* " in
	"  ") mxp_bench 101 "$PWD/results/frames" ;;
	*" -once "*) mxp_bench 1 "$PWD/../target/frames-once" ;;
	esac
	;;
esac
if [[ $# == 0 ]]; then
	go/sdpbench -root .. -stamp
fi
