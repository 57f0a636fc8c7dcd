#!/usr/bin/env bash
# Packs what a machine with a GPU needs to build and check pipegraph and cannot fetch: see the text below.
set -euo pipefail

usage() {
  cat <<'END'
Usage: exec/gpu_bundle.sh [FILE]     (default: pipegraph-gpu.tar.gz)

Packs the project's files and the sources of the libraries that the executor-only build needs (fmt, yaml-cpp,
nlohmann-json, Boost.Program_options, GoogleTest) for a machine with CUDA, NCCL, CMake 3.22 and g++ 11 or newer, but
without network and packages. There: tar xf FILE && pipegraph-gpu/exec/gpu_check.sh (docs/gpu.md).
Runs on Debian or a relative of it that has these libraries' source packages; changes nothing outside of FILE.
END
}

fail() { printf 'gpu_bundle.sh: %s\n' "$*" >&2; exit 3; }

# The source packages, as Debian 12 calls them.
packages=(fmtlib yaml-cpp nlohmann-json3 boost1.74 googletest)
most_bytes=$((60 * 1000 * 1000))

# apt's options for lists of its own, in which every source of packages is one of source packages.
prepare_apt() {
  local file
  mkdir -p "$work/apt/sources" "$work/apt/lists/partial"
  for file in /etc/apt/sources.list.d/*.sources; do
    [[ -f $file ]] && sed 's/^Types:.*/Types: deb-src/' "$file" >"$work/apt/sources/${file##*/}"
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [[ -f $file ]] && sed -n 's/^deb\(-src\)\?[[:space:]]/deb-src /p' "$file" >"$work/apt/sources/${file##*/}"
  done
  apt=(-q -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/apt/sources"
    -o "Dir::State::Lists=$work/apt/lists" -o "APT::Sandbox::User=$(id -un)")
}

fetch_sources() {
  prepare_apt
  mkdir -p "$work/fetched"
  apt-get "${apt[@]}" update >"$work/log" 2>&1 &&
    (cd "$work/fetched" && apt-get "${apt[@]}" source --download-only "${packages[@]}") >>"$work/log" 2>&1 && return 0
  tail -n 15 "$work/log" >&2
  fail "the source packages ${packages[*]} could not be fetched"
}

# unpack PACKAGE FOLDER PATTERN...: those files of its upstream sources, without their outermost folder.
unpack() {
  local archive=("$work/fetched/$1"_*.orig.tar.*)
  mkdir -p "$2"
  tar xf "${archive[0]}" -C "$2" --strip-components=1 --wildcards "${@:3}"
}

# Boost.Program_options, and of Boost's headers those of the libraries that it reads something of: other compilers read
# others of them than this one.
add_boost() {
  local from="$work/boost" into="$third_party/boost" folders=() folder
  unpack boost1.74 "$from" '*/libs/*/include' '*/libs/program_options/src' '*/LICENSE_1_0.txt'
  mkdir -p "$into/include"
  cp -r "$from/libs/program_options/src" "$from/LICENSE_1_0.txt" "$into"
  rm "$into/src/winmain.cpp"
  while IFS= read -r folder; do folders+=("-I$folder"); done < <(find "$from/libs" -type d -name include -prune)
  g++ -std=c++20 "${folders[@]}" -MM "$into"/src/*.cpp >"$work/read"
  ! grep -oE '[^ ]*/boost/[^ ]*[.]hpp' "$work/read" | grep -v "^$from/" || fail "Boost's headers are not all in its sources"
  grep -oE "$from/libs/[^ ]+/include/boost/" "$work/read" | sort -u |
    while IFS= read -r folder; do cp -r "${folder%boost/}." "$into/include"; done
}

add_third_party() {
  unpack fmtlib "$third_party/fmt" '*/include' '*/src' '*/LICENSE*'
  unpack yaml-cpp "$third_party/yaml-cpp" '*/include' '*/src' '*/LICENSE*'
  unpack nlohmann-json3 "$third_party/nlohmann" 'json-*/include' '*/LICENSE.MIT'
  unpack googletest "$third_party/googletest" '*/googletest/include' '*/googletest/src' '*/googlemock/include' \
    '*/googlemock/src' '*/LICENSE'
  add_boost
}

# All that git does not ignore, as it lies here; pictures are of no use there.
add_project() {
  (cd "$root" && git ls-files -z --cached --others --exclude-standard -- ':!docs/images' | xargs -0 cp --parents -t "$target")
}

case "${1:-}" in
  -h | --help) usage && exit 0 ;;
esac
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
output=$(realpath -m "${1:-pipegraph-gpu.tar.gz}")
for program in apt-get g++ git; do
  command -v "$program" >/dev/null || fail "needs $program"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
target="$work/pipegraph-gpu"
third_party="$target/third_party"
mkdir -p "$third_party"

add_project
fetch_sources
add_third_party
tar czf "$work/bundle" -C "$work" pipegraph-gpu
size=$(stat -c %s "$work/bundle")
((size < most_bytes)) || fail "the bundle has $size bytes, which is more than $most_bytes"
mv "$work/bundle" "$output"
printf '%s: %d kB\n' "$output" $((size / 1000))
