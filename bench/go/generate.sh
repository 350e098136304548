#!/usr/bin/env bash
# Generates SDP's Go code for the benchmarks' schemas into gen/, which is ignored: what is measured is what the
# generator beside it makes. The code uses the runtime of this repository, not a copy.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bench/go/gen
go run ./cmd/sdp gen bench/schemas/*.sdp --out go=bench/go/gen --forms owned,views \
	--go-runtime github.com/serial-data-protocol/sdp/runtime/go
