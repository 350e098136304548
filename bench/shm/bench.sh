#!/usr/bin/env bash
# Measures channels in shared memory beside their peers: bench.sh [--once]; the README beside this says what with.
set -euo pipefail
cd "$(dirname "$0")"
./generate.sh >/dev/null
cargo build --quiet --locked --release
if [ "${1-}" = --once ]; then
  exec target/release/shmbench --once
fi
load=$(cut -d' ' -f1 /proc/loadavg)
python3 report.py "$load" < <(target/release/shmbench)
(cd ../go && go test ./report -run Channels)
