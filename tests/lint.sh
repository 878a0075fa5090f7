#!/usr/bin/env bash
# Usage: tests/lint.sh format          fails when a file is not laid out as .clang-format says
#        tests/lint.sh fix             lays them out
#        tests/lint.sh tidy [BUILD]    fails on any finding of .clang-tidy; BUILD (build/release) has been built
# Version 14 of both tools is meant; CLANG_FORMAT and CLANG_TIDY name others.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sources() {
  find runtime converter platforms tests -name data -prune -o -type f \
    \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cc' \) -print0 | sort -z
}

format() { sources | xargs -0 -r "${CLANG_FORMAT:-clang-format-14}" "$@"; }

# Our own files among those that BUILD compiles, separated by NUL.
compiled() {
  python3 -c '
import json, os, sys
for entry in json.load(open(os.path.join(sys.argv[1], "compile_commands.json"))):
    path = os.path.relpath(os.path.join(entry["directory"], entry["file"]))
    if path.split(os.sep)[0] in ("runtime", "converter", "platforms", "tests"):
        print(path, end="\0")' "$1"
}

# A file that was clean stays unchecked until it, any header, the schema or the configuration changes.
tidy_one() {
  local key
  key=$( (echo "$common"; cat "$1") | sha256sum | cut -c1-32)
  [[ -f build/lint/$key ]] && return
  echo "clang-tidy $1"
  # Kernels are written once and compiled for every instruction set; reading one of these is enough here.
  "${CLANG_TIDY:-clang-tidy-14}" --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option \
    --extra-arg=-DHWY_COMPILE_ONLY_STATIC "$1" 2> >(grep -v "warnings generated" >&2) &&
    touch "build/lint/$key"
}

tidy() {
  export build=$1 common
  [[ -f $build/compile_commands.json ]] || { echo "$build is not configured" >&2; exit 1; }
  mkdir -p build/lint
  common=$( (sources | grep -z '\.h\(pp\)\?$' | xargs -0 -r cat; cat .clang-tidy tests/support/.clang-tidy schema/*.fbs) | sha256sum)
  export -f tidy_one
  compiled "$build" | xargs -0 -r -P "$(nproc)" -n 1 bash -c 'tidy_one "$1"' tidy
}

case ${1:-} in
  format) format --dry-run --Werror ;;
  fix) format -i ;;
  tidy) tidy "${2:-build/release}" ;;
  *) sed -n '2,5s/^# //p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
