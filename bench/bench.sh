#!/usr/bin/env bash
# Generates SDP's code for the benchmarks' schemas and runs sdpbench with the arguments given. Without arguments
# it measures everything and stamps README's table.
set -euo pipefail
cd "$(dirname "$0")/go"
./generate.sh
go build -tags sdp -o sdpbench ./cmd/sdpbench
./sdpbench "$@"
if [[ $# == 0 ]]; then
	./sdpbench -stamp
fi
