#!/usr/bin/env bash
# Regenerates the peers' code from proto/ and fbs/. Only needed when a peer's schema or version changes: the
# output is committed, so that running the benchmarks needs neither protoc nor flatc.
#
#   protoc 3.21.12   Debian's protobuf-compiler
#   flatc 2.0.8      Debian's flatbuffers-compiler
#   protoc-gen-go and protoc-gen-go-vtproto at the versions that bench/go/go.mod requires
set -euo pipefail
cd "$(dirname "$0")"

want() {
	local got
	got=$("$1" --version)
	[[ $got == "$2" ]] || { echo "generate.sh: need $2, found $got" >&2; exit 1; }
}
want protoc "libprotoc 3.21.12"
want flatc "flatc version 2.0.8"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version() { (cd .. && go list -m -f '{{.Version}}' "$1"); }
export GOBIN=$work/bin PATH=$work/bin:$PATH
go install "google.golang.org/protobuf/cmd/protoc-gen-go@$(version google.golang.org/protobuf)"
go install "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto@$(version github.com/planetscale/vtprotobuf)"

# Decoders of vtprotobuf take nested values from the pools of their types, which only slows down those who
# never give any back. So there are two packages: pb without pools and pbpool with every message pooled.
module=github.com/serial-data-protocol/sdp/bench/go
for package in pb pbpool; do
	rm -rf "$package"
	for schema in proto/*.proto; do
		name=$(basename "$schema" .proto)
		mkdir -p "$work/$package"
		sed "s/PACKAGE/$package/" "$schema" >"$work/$package/$name.proto"
		features=size+marshal+unmarshal+unmarshal_unsafe
		pools=()
		if [[ $package == pbpool ]]; then
			features+=+pool
			while read -r message; do
				pools+=("--go-vtproto_opt=pool=$module/peers/$package/$name.$message")
			done < <(sed -n 's/^message \([A-Za-z]*\) .*/\1/p' "$schema")
		fi
		protoc -I "$work" \
			--go_out=. --go_opt="module=$module/peers" \
			--go-vtproto_out=. --go-vtproto_opt="module=$module/peers,features=$features" "${pools[@]}" \
			"$work/$package/$name.proto"
	done
done

rm -rf fb
for schema in fbs/*.fbs; do
	flatc --go --gen-onefile --go-namespace "$(basename "$schema" .fbs)" -o "fb/$(basename "$schema" .fbs)" "$schema"
done
gofmt -w pb pbpool fb
