#!/usr/bin/env bash
# Measures MXP beside its peers: bench.sh [FLAG | WORD...]; the README beside this says what with.
set -euo pipefail
cd "$(dirname "$0")"

rust/generate.sh >/dev/null
go/generate.sh >/dev/null
profile=(--release) made=release
case " $* " in
# What times nothing needs no optimized build.
*" -once "* | *" --once "*) profile=() made=debug ;;
esac
cargo build --quiet --locked --manifest-path rust/Cargo.toml --features sdp "${profile[@]}"
(cd go && go build -tags sdp -o rpcbench .)
exec python3 runner --rust "$PWD/rust/target/$made/rpcbench" --go "$PWD/go/rpcbench" "$@"
