#!/usr/bin/env bash
# Measures the codec in Python beside others, and writes bench/results/python.json: `run.sh --write`. `run.sh --rounds 0` compares
# values alone. PYTHON names another interpreter than python3, and FEATURES=abi3 builds the engine for all interpreters.
set -euo pipefail
cd "$(dirname "$0")/../.."
made=target/bench-python
mkdir -p "$made"
wanted=$("${PYTHON:-python3}" --version | cat - bench/python/requirements.txt)
if [[ $wanted != "$(cat "$made/requirements.txt" 2>/dev/null)" ]]; then
  "${PYTHON:-python3}" -m venv --clear "$made/venv"
  "$made/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement bench/python/requirements.txt
  echo "$wanted" >"$made/requirements.txt"
fi
go run ./cmd/sdp gen examples/registry/plugins.sdp --python-runtime sdp --out "py=$made/sdp_code" >/dev/null
# `class` is a word of Python's; the bytes have no names.
sed 's/PACKAGE/peers/; /go_package/d; s/string class = 4/string class_ = 4/' bench/go/peers/proto/plugins.proto >"$made/registry.proto"
"$made/venv/bin/python" -m grpc_tools.protoc -I "$made" --python_out "$made" registry.proto
tools/from-debian flatc flatbuffers-compiler
[[ $(flatc --version) == "flatc version 2.0.8" ]] || echo "flatc is not the 2.0.8 that was measured with" >&2
sed 's/class: string/class_: string/; s/namespace plugins/namespace flat/' bench/go/peers/fbs/plugins.fbs >"$made/registry.fbs"
flatc --python --gen-object-api -o "$made" "$made/registry.fbs"
# The native engine is built for this interpreter.
# By its own path: an environment has the same one for each.
PYO3_PYTHON=$(readlink -f "$made/venv/bin/python") cargo build --quiet --release --locked --manifest-path runtime/python/native/Cargo.toml --target-dir target/python-native --features "${FEATURES:-}"
mkdir -p "$made/native"
cp target/python-native/release/libserial_data_protocol_native.so "$made/native/serial_data_protocol_native.so"
PYTHONPATH="$made/native" "$made/venv/bin/python" bench/python/codec.py "$@"
