#!/usr/bin/env bash
# Measures JSON in TypeScript beside protobuf-es's and the engine's own, and writes bench/results/typescript_json.json.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --no-audit --no-fund
(cd ../../runtime/typescript && npm ci --no-audit --no-fund)
rm -rf out/json && mkdir -p out/json-src
go run ../../cmd/sdp gen ../schemas/plugins.sdp --out ts=out/json-src
go run ../../cmd/sdp gen json.sdp --out ts=out/json-src
sed 's/PACKAGE/p/; /go_package/d' ../go/peers/proto/plugins.proto >out/plugins.proto
npx esbuild out/json-src/*.ts out/json-src/sdp/*.ts --outdir=out/json --outbase=out/json-src --log-level=error
node --expose-gc json.mjs "$@"
