#!/usr/bin/env bash
# Measures the TypeScript codecs beside protobuf.js, protobuf-es, avsc, msgpackr and JSON, and writes bench/results/typescript.json.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --no-audit --no-fund
(cd ../../runtime/typescript && npm ci --no-audit --no-fund)
rm -rf out && mkdir -p out/src
go run ../../cmd/sdp gen ../schemas/plugins.sdp --out ts=out/src
sed 's/PACKAGE/p/; /go_package/d' ../go/peers/proto/plugins.proto >out/plugins.proto
npx pbjs -t static-module -w es6 --force-number out/plugins.proto -o out/pb.js
sed -i 's#"protobufjs/minimal"#"protobufjs/minimal.js"#' out/pb.js
npx esbuild --bundle --minify --format=esm --outfile=out/decoder.js --log-level=error decoder.ts
npx esbuild out/src/plugins.ts out/src/sdp/*.ts --outdir=out/js --outbase=out/src --log-level=error
node --expose-gc bench.mjs "$@"
