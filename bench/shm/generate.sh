#!/usr/bin/env bash
# Generates SDP's code of frames.sdp into gen/, which is ignored: the benchmarks measure the code of
# the generator beside it.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bench/shm/gen
go run ./cmd/sdp gen bench/shm/frames.sdp --services --out rust=bench/shm/gen --rust-runtime ::sdp
