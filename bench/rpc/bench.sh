#!/usr/bin/env bash
# Measures MXP beside its peers: bench.sh [FLAG | WORD...]; the README beside this says what with.
set -euo pipefail
cd "$(dirname "$0")"

go/generate.sh >/dev/null
if [ "${1-}" = beside ]; then
  shift
  root=$PWD/../..
  (cd go && go build -tags sdp -o rpcbench .)
  (cd "$root/examples/mxp/go" && go build -o out/mxp_demo .)
  cargo build --quiet --locked --release --manifest-path "$root/examples/mxp/rust/Cargo.toml" --target-dir "$root/target/examples"
  cmake -S "$root/examples/mxp/cpp" -B "$root/target/mxp-examples" -DCMAKE_UNITY_BUILD=ON -DCMAKE_BUILD_TYPE=Release >/dev/null
  cmake --build "$root/target/mxp-examples" >/dev/null
  go/rpcbench beside --program "go=$root/examples/mxp/go/out/mxp_demo" --program "rust=$root/target/examples/release/mxp_demo" \
    --program "cpp=$root/target/mxp-examples/mxp_demo" "$@" | tee ../results/rpc-beside.jsonl
  exit
fi
cpp/install.sh
rust/generate.sh >/dev/null
profile=(--release) made=release
case " $* " in
# A run that times nothing needs no optimized build.
*" -once "* | *" --once "*) profile=() made=debug ;;
esac
cargo build --quiet --locked --manifest-path rust/Cargo.toml --features sdp "${profile[@]}"
(cd go && go build -tags sdp -o rpcbench .)
cpp/generate.sh 2>/dev/null >&2
cmake -S cpp -B "cpp/build/$made" -DRPCBENCH_SDP=ON -DCMAKE_BUILD_TYPE="$made" >/dev/null
cmake --build "cpp/build/$made" --target rpcbench >/dev/null
python3 runner --rust "$PWD/rust/target/$made/rpcbench" --go "$PWD/go/rpcbench" --cpp "$PWD/cpp/build/$made/rpcbench" "$@"
