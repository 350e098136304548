#!/usr/bin/env bash
# Installs the C++ compiler, CMake and the libraries that SDP is compared with, where Debian's packages are missing.
set -euo pipefail
packages=(
	g++ cmake make libgtest-dev nlohmann-json3-dev
	libprotobuf-dev protobuf-compiler libflatbuffers-dev flatbuffers-compiler libcapnp-dev capnproto
)
as_root=()
if ((EUID != 0)); then as_root=(sudo); fi
if ! command -v dpkg-query >/dev/null; then
	echo "install.sh: this isn't Debian: install what ${packages[*]} are there" >&2
	exit 1
fi
missing=()
for package in "${packages[@]}"; do
	status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null) || true
	[[ $status == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then exit; fi
if ! command -v "${as_root[0]:-apt-get}" >/dev/null; then
	echo "install.sh: these packages are missing, and can't be installed without root: ${missing[*]}" >&2
	exit 1
fi
echo "--- installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
