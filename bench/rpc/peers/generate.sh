#!/usr/bin/env bash
# Regenerates the peers' code from echo.proto and echo.capnp. Only needed when a schema or a peer's version changes: the
# output is committed, so that building the benchmarks needs none of these tools.
#
#   protoc 3.21.12     Debian's protobuf-compiler; tonic-prost-build 0.14, protoc-gen-go 1.36.11, protoc-gen-go-grpc 1.6.0
#   capnp 0.9.2        Debian's capnproto; the crate capnpc 0.27
set -euo pipefail
cd "$(dirname "$0")"

want() {
	local got
	got=$("$1" --version)
	[[ $got == "$2" ]] || { echo "generate.sh: need $2, found $got" >&2; exit 1; }
}
want protoc "libprotoc 3.21.12"
want capnp "Cap'n Proto version 0.9.2"

peers=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rust=$peers/../rust/src/generated
mkdir -p "$work/src" "$rust"
cat >"$work/Cargo.toml" <<'MANIFEST'
[package]
name = "generate"
version = "0.0.0"
edition = "2021"

[dependencies]
capnpc = "0.27"
tonic-prost-build = "0.14"

[profile.dev]
debug = false
MANIFEST
cat >"$work/src/main.rs" <<'PROGRAM'
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let (peers, out) = (&args[1], &args[2]);
    tonic_prost_build::configure()
        .bytes(".")
        .out_dir(out)
        .compile_protos(&[format!("{peers}/echo.proto")], &[peers.clone()])?;
    capnpc::CompilerCommand::new()
        .src_prefix(peers)
        .default_parent_module(vec!["generated".into()])
        .file(format!("{peers}/echo.capnp"))
        .output_path(out)
        .run()?;
    Ok(())
}
PROGRAM
cargo run --quiet --manifest-path "$work/Cargo.toml" -- "$peers" "$work"
{ echo "// Generated from echo.proto by tonic-prost-build. DO NOT EDIT." && cat "$work/bench.rs"; } >"$rust/grpc.rs"
{ echo "// Generated from echo.capnp by capnpc. DO NOT EDIT." && cat "$work/echo_capnp.rs"; } >"$rust/echo_capnp.rs"

go=$peers/../go/peers/pb
mkdir -p "$go"
GOBIN=$work/bin go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.11
GOBIN=$work/bin go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.0
PATH=$work/bin:$PATH protoc -I "$peers" --go_out="$go" --go_opt=paths=source_relative \
	--go-grpc_out="$go" --go-grpc_opt=paths=source_relative "$peers/echo.proto"
