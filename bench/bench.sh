#!/usr/bin/env bash
# Generates SDP's code for the benchmarks' schemas, and measures it beside its peers: bench.sh [go|rust] [FLAG...].
# Without a language it's all of them. Without flags README's tables are stamped afterwards.
set -euo pipefail
cd "$(dirname "$0")"

go_bench() (
	cd go
	./generate.sh
	go build -tags sdp -o sdpbench ./cmd/sdpbench
	./sdpbench "$@"
)

rust_bench() (
	cd rust
	./generate.sh
	# Its flags have two dashes, where Go's may have one.
	flags=("${@/#--/-}")
	flags=("${flags[@]/#-/--}")
	if [[ " ${flags[*]} " == *" --once "* ]]; then
		# What times nothing needs no optimized build.
		cargo run --quiet --features sdp --bin sdpbench -- "${flags[@]}"
		return
	fi
	for allocator in sdpbench sdpbench-mimalloc; do
		cargo run --quiet --release --features sdp --bin "$allocator" -- "${flags[@]}"
	done
)

case "${1-}" in
go | rust)
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
	;;
esac
if [[ $# == 0 ]]; then
	go/sdpbench -root .. -stamp
fi
