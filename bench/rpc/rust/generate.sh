#!/usr/bin/env bash
# Generates SDP's Rust code of ../peers/echo.sdp into gen/, which is ignored: the benchmarks measure
# the code of the generator beside it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
mkdir -p bench/rpc/rust/gen
go run ./cmd/sdp gen bench/rpc/peers/echo.sdp --services --forms owned,borrowed --out rust=bench/rpc/rust/gen --rust-runtime ::sdp
