#!/usr/bin/env bash
# Fuzzes the converter's readers with libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer.
# Usage: tests/robustness/converter/fuzz.sh [SECONDS [READER...]]    30 seconds of each reader unless told otherwise.
# Needs clang 14 or newer (CLANGXX names another one). Findings stay in build/fuzz/<reader>/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
seconds=${1:-30}
shift || true
compiler=${CLANGXX:-clang++-14}
folder=build/fuzz
mkdir -p "$folder/objects"

flags=(-std=c++20 -O1 -g -ffp-contract=off -I. -Iruntime -Iruntime/include
  -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
sources=(converter/formats/*.cc converter/frontends/array_tensor.cc converter/frontends/source.cc runtime/base/status.cc
  tests/support/make_zip.cc tests/support/make_torch_checkpoint.cc tests/robustness/converter/readers.cc
  tests/robustness/converter/fuzz_readers.cc)
objects=()
for source in "${sources[@]}"; do
  object=$folder/objects/${source//\//_}.o
  objects+=("$object")
  [[ $object -nt $source ]] || "$compiler" "${flags[@]}" -c "$source" -o "$object"
done
"$compiler" -fsanitize=fuzzer,address,undefined "${objects[@]}" -lyaml-cpp -lz -o "$folder/fuzz_readers"

mapfile -t readers < <("$folder/fuzz_readers")
[[ $# -gt 0 ]] && readers=("$@")
for reader in "${readers[@]}"; do
  mkdir -p "$folder/$reader/corpus"
  "$folder/fuzz_readers" "--reader=$reader" "--write-seeds=$folder/$reader/corpus"
  echo "== $reader"
  "$folder/fuzz_readers" "--reader=$reader" -max_total_time="$seconds" -max_len=4096 -timeout=5 -rss_limit_mb=1024 \
    -print_final_stats=1 -verbosity=0 -artifact_prefix="$folder/$reader/" "$folder/$reader/corpus" 2>&1 |
    grep -E "^stat::(number|average|peak)|ERROR|SUMMARY|Test unit" || true
  [[ -z $(find "$folder/$reader" -maxdepth 1 -type f) ]] || { echo "$reader: see $folder/$reader"; exit 1; }
done
