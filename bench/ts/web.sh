#!/usr/bin/env bash
# Measures MXP over WebSocket from Node and Chromium to a server in Go, beside a bare WebSocket and
# connect-web, and writes bench/results/typescript_web.json.
set -euo pipefail
cd "$(dirname "$0")"
npm ci --no-audit --no-fund
(cd ../../runtime/typescript && npm ci --no-audit --no-fund)
(cd ../../conformance/runners/typescript/browser && npm ci --no-audit --no-fund)
command -v chromium >/dev/null || ../../tools/from-debian chromium chromium
../../runtime/typescript/node_modules/.bin/tsc -p ../../mxp/typescript --outDir out
mkdir -p out/web
npx esbuild web_calls.mjs --bundle --format=esm --target=es2022 --outfile=out/web/calls.js --log-level=warning
cat >out/web/index.html <<'PAGE'
<!doctype html><title>calls</title><script type="module">
import { measure } from "./calls.js";
window.measure = measure;
</script>
PAGE
go -C ../rpc/go build -o ../../ts/out/server ./web
node --experimental-websocket --no-warnings web.mjs "$@"
