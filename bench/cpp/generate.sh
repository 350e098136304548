#!/usr/bin/env bash
# Generates SDP's C++ code for the benchmarks' schemas into gen/, which is ignored: the benchmarks measure the
# code of the generator beside it. The code is compiled with the runtime of this repository.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p bench/cpp/gen
go run ./cmd/sdp gen bench/schemas/{arrays,plugins,primitives}.sdp --out cpp=bench/cpp/gen --forms owned,borrowed,pmr,views
