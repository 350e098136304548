#!/usr/bin/env bash
# Generates SDP's Rust code for the benchmarks' schemas into gen/, which is ignored: the benchmarks measure the
# code of the generator beside it. The code uses the runtime of this repository, not a copy.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bench/rust/gen
go run ./cmd/sdp gen bench/schemas/*.sdp --out rust=bench/rust/gen --forms owned,borrowed,views --serde --rust-runtime ::sdp
