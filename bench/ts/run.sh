#!/usr/bin/env bash
# Measures the TypeScript codecs beside protobuf.js, protobuf-es, avsc, msgpackr, FlatBuffers and JSON, and writes bench/results/typescript.json.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --no-audit --no-fund
(cd ../../runtime/typescript && npm ci --no-audit --no-fund)
rm -rf out && mkdir -p out/src
go run ../../cmd/sdp gen ../schemas/plugins.sdp --out ts=out/src
sed 's/PACKAGE/p/; /go_package/d' ../go/peers/proto/plugins.proto >out/plugins.proto
npx pbjs -t static-module -w es6 --force-number out/plugins.proto -o out/pb.js
sed -i 's#"protobufjs/minimal"#"protobufjs/minimal.js"#' out/pb.js
../../tools/from-debian flatc flatbuffers-compiler
[[ $(flatc --version) == "flatc version 2.0.8" ]] || echo "flatc is not the 2.0.8 that was measured with" >&2
flatc --ts --gen-object-api -o out/fb ../go/peers/fbs/plugins.fbs
npx esbuild --bundle --format=esm --external:flatbuffers --outfile=out/fb.js --log-level=error out/fb/plugins_generated.ts
npx esbuild --bundle --minify --format=esm --outfile=out/decoder.js --log-level=error decoder.ts
npx esbuild out/src/plugins.ts out/src/sdp/*.ts --outdir=out/js --outbase=out/src --log-level=error
node --expose-gc bench.mjs "$@"
