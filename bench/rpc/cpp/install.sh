#!/usr/bin/env bash
# Installs the C++ compiler, CMake and the libraries that MXP is built on and compared with, where Debian's packages are missing.
set -euo pipefail
cd "$(dirname "$0")/../../.."
tools/from-debian g++ g++
tools/from-debian cmake cmake make
tools/from-debian /usr/include/gtest/gtest.h libgtest-dev
tools/from-debian /usr/include/asio.hpp libasio-dev
tools/from-debian /usr/include/xxhash.h libxxhash-dev
tools/from-debian grpc_cpp_plugin libgrpc++-dev protobuf-compiler-grpc protobuf-compiler libprotobuf-dev
tools/from-debian /usr/include/grpcpp/grpcpp.h libgrpc++-dev
tools/from-debian capnp capnproto libcapnp-dev
tools/from-debian /usr/include/capnp/rpc-twoparty.h libcapnp-dev
