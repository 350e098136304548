#!/usr/bin/env bash
# Measures MXP in Node over a unix socket, server and client in one process, beside a bare echo, and
# writes bench/results/typescript_mxp.json.
set -euo pipefail
cd "$(dirname "$0")"
(cd ../../runtime/typescript && npm ci --no-audit --no-fund)
../../runtime/typescript/node_modules/.bin/tsc -p ../../mxp/typescript --outDir out
node mxp.mjs "$@"
