#!/usr/bin/env bash
# Clients of the Language Server Protocol that are not ours drive `sdp lsp`. Microsoft's is installed by
# `npm ci` in this folder, Neovim from Debian's packages.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
made=$here/../../target/editors
mkdir -p "$made"
made=$(cd "$made" && pwd)
(cd "$here/../.." && go build -o "$made/sdp" ./cmd/sdp)
export SDP=$made/sdp
node --test --test-reporter=spec "$here/microsoft.test.mjs"

rm -rf "$made/neovim"
mkdir "$made/neovim"
(cd "$made/neovim" && timeout 120 nvim --headless --clean -c "luafile $here/neovim.lua")
echo "Neovim: fine"

[ -x "$made/venv/bin/python" ] || python3 -m venv "$made/venv"
"$made/venv/bin/python" -m pip install --quiet --requirement "$here/requirements.txt"
"$made/venv/bin/python" -m pytest --quiet -p no:cacheprovider -o asyncio_mode=auto -W ignore "$here/pytest_lsp_test.py"
