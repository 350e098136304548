#!/usr/bin/env bash
# Installs the programs that build.rs lets write the peers' code, where Debian's packages are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/from-debian protoc protobuf-compiler
tools/from-debian flatc flatbuffers-compiler
tools/from-debian capnp capnproto
