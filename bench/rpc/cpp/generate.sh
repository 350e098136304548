#!/usr/bin/env bash
# Generates SDP's C++ code of ../peers/echo.sdp, with its stubs, into gen/, which is ignored: the
# benchmarks measure the code of the generator beside it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
mkdir -p bench/rpc/cpp/gen
go run ./cmd/sdp gen bench/rpc/peers/echo.sdp --services --out cpp=bench/rpc/cpp/gen --forms owned,borrowed --cpp-runtime sdp/sdp.hpp
