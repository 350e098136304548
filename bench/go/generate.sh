#!/usr/bin/env bash
# Generates Go code for the benchmarks, into folders that are ignored: that of the peers, and SDP's into gen/, so that the generator
# beside it is measured. SDP's code uses the runtime of this repository, not a copy.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bench/go/gen
go run ./cmd/sdp gen bench/schemas/*.sdp --out go=bench/go/gen --forms owned,views \
	--go-runtime github.com/serial-data-protocol/sdp/runtime/go
bench/go/peers/generate.sh
