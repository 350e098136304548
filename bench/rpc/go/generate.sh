#!/usr/bin/env bash
# Generates SDP's Go code of ../peers/echo.sdp, with its stubs, into gen/, which is ignored: what is measured is what the generator
# beside it makes.
set -euo pipefail
cd "$(dirname "$0")/../../.."
mkdir -p bench/rpc/go/gen
go run ./cmd/sdp gen bench/rpc/peers/echo.sdp --services --out go=bench/rpc/go/gen \
	--go-runtime github.com/serial-data-protocol/sdp/runtime/go
