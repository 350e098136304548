#!/usr/bin/env bash
# Generates Go code of the schemas in ../peers, with stubs, into files that are ignored: gRPC's into peers/pb, by the plugins that
# go.mod names, and SDP's into gen/, so that the generator beside it is measured.
set -euo pipefail
cd "$(dirname "$0")/../../.."
mkdir -p bench/rpc/go/gen
go run ./cmd/sdp gen bench/rpc/peers/echo.sdp --services --out go=bench/rpc/go/gen \
	--go-runtime github.com/serial-data-protocol/sdp/runtime/go
module=github.com/serial-data-protocol/sdp/bench/rpc/go/peers
go build -C conformance/bridge -o "$PWD/target/protoc" ./protoc
cd bench/rpc/go
../../../target/protoc -I ../peers -out peers -module "$module" -plugin protoc-gen-go-grpc echo.proto
