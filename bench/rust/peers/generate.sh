#!/usr/bin/env bash
# Regenerates the peers' code from proto/, fbs/ and capnp/. Only needed when a peer's schema or version changes:
# the output is committed, so that building the benchmarks needs none of these tools.
#
#   protoc 3.21.12     Debian's protobuf-compiler, with the plugin protoc-gen-prost 0.5.0
#   flatc 2.0.8        Debian's flatbuffers-compiler
#   capnp 0.9.2        Debian's capnproto, with the plugin capnpc-rust of the crate capnpc 0.27.0
set -euo pipefail
cd "$(dirname "$0")"

want() {
	local got
	got=$("$1" --version)
	[[ $got == "$2" ]] || { echo "generate.sh: need $2, found $got" >&2; exit 1; }
}
want protoc "libprotoc 3.21.12"
want flatc "flatc version 2.0.8"
want capnp "Cap'n Proto version 0.9.2"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PATH=$work/bin:$PATH
CARGO_TARGET_DIR=$work/target cargo install --quiet --root "$work" protoc-gen-prost@0.5.0 capnpc@0.27.0

out=../src/peers/generated
rm -rf $out
mkdir -p $out/prost $out/flatbuffers $out/capnp
protoc -I proto --prost_out="$work" proto/*.proto
for schema in proto/*.proto; do
	name=$(basename "$schema" .proto)
	mv "$work/$name/$name.rs" $out/prost/
	flatc --rust --filename-suffix "" -o $out/flatbuffers "fbs/$name.fbs"
	capnp compile --src-prefix=capnp -o rust:"$work" "capnp/$name.capnp"
	# The code calls its own module by its path from the crate's root.
	sed "s/crate::${name}_capnp/crate::peers::generated::capnp::$name/g" "$work/${name}_capnp.rs" >"$out/capnp/$name.rs"
done
