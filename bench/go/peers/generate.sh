#!/usr/bin/env bash
# Generates the peers' code from proto/ and fbs/ into pb/, pbpool/ and fb/, which are ignored: generate.sh [pb | pbpool | fb]...
# Without a word it's all of them. Protocol Buffers' needs Go alone, at the versions of conformance/bridge/go.mod and ../go.mod;
# that of FlatBuffers is made by flatc 2.0.8 of Debian's flatbuffers-compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
module=github.com/serial-data-protocol/sdp/bench/go/peers
root=$PWD/../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Decoders of vtprotobuf take nested values from the pools of their types, which only slows down programs
# that never give any back. So there are two packages: pb without pools and pbpool with every message
# pooled.
protobuf() {
	local package=$1 schema name message parameters=features=size+marshal+unmarshal+unmarshal_unsafe
	[[ $package == pb ]] || parameters+=+pool
	mkdir -p "$work/$package"
	for schema in peers/proto/*.proto; do
		name=$(basename "$schema" .proto)
		sed "s/PACKAGE/$package/" "$schema" >"$work/$package/$name.proto"
		[[ $package == pbpool ]] || continue
		while read -r message; do
			parameters+=",pool=$module/$package/$name.$message"
		done < <(sed -n 's/^message \([A-Za-z]*\) .*/\1/p' "$schema")
	done
	go build -C ../../conformance/bridge -o "$root/target/protoc" ./protoc
	rm -rf "peers/$package"
	(
		files=("$work/$package"/*)
		"$root/target/protoc" -I "$work" -out peers -module "$module" -plugin "protoc-gen-go-vtproto:$parameters" "${files[@]#"$work/"}"
	)
}

flatbuffers() {
	local schema name
	"$root/tools/from-debian" flatc flatbuffers-compiler
	[[ $(flatc --version) == "flatc version 2.0.8" ]] || { echo "generate.sh: need flatc 2.0.8, found $(flatc --version)" >&2; exit 1; }
	rm -rf peers/fb
	for schema in peers/fbs/*.fbs; do
		name=$(basename "$schema" .fbs)
		flatc --go --gen-onefile --go-namespace "$name" -o "peers/fb/$name" "$schema"
	done
}

(($#)) || set -- pb pbpool fb
for package; do
	case $package in
	fb) flatbuffers ;;
	*) protobuf "$package" ;;
	esac
done
