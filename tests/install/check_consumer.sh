#!/usr/bin/env bash
# Installs a build and builds and runs one consumer against it. The linker drops every section that nothing refers to,
# and takes from the archive only what is asked for: BL-01, parts that register themselves would be lost.
# Usage: check_consumer.sh c|cpp CMAKE BUILD_FOLDER C_COMPILER CXX_COMPILER
# The consumer translates one sentence if build/models/en-pt.drg is there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
language=$1 cmake=$2 build=$3 cc=$4 cxx=$5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The folder is moved after installation: the package must not remember where it was installed.
"$cmake" --install "$build" --prefix "$work/installed" > /dev/null
mv "$work/installed" "$work/moved"

compiler=(-DCMAKE_C_COMPILER="$cc")
[[ $language == cpp ]] && compiler=(-DCMAKE_CXX_COMPILER="$cxx")
"$cmake" -S "$here/consumer_$language" -B "$work/consumer" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_EXE_LINKER_FLAGS=-Wl,--gc-sections -DCMAKE_C_FLAGS=-ffunction-sections -DCMAKE_CXX_FLAGS=-ffunction-sections \
  -DCMAKE_PREFIX_PATH="$work/moved" "${compiler[@]}" > "$work/log" || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/consumer"

model=$here/../../build/models/en-pt.drg
if [[ -f $model ]]; then
  "$work/consumer/consumer" "$model"
else
  echo "Without a model (build/models/en-pt.drg): only the error path is run"
  "$work/consumer/consumer"
fi
