#!/usr/bin/env bash
# The same ids and the same score bits on every instruction set: builds with XNNPACK's VNNI kernels left out and with
# all its AVX-512 kernels left out, and the release build on an emulated Haswell (AVX2), against the release build here.
# Usage: tests/isa/check_isa.sh     After tests/run.sh's release build and model conversion. x86-64 only.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../platforms/setup.sh"
cd "$root"
if [[ $(uname -m) != x86_64 ]]; then
  say "SKIPPED: this processor is not x86-64"
  exit 0
fi

# One JSON object a line: ids and score of every sentence.
translate() { "$@" translate -m build/models/en-pt.drg --json --one-sentence-per-line < "$input"; }
# compare NAME COMMAND...: fails when the command's output differs from the reference.
compare() {
  local name=$1
  shift
  translate "$@" > "$work/other"
  if cmp -s "$work/reference" "$work/other"; then
    say "$name: $(wc -l < "$work/other") sentences, equal"
  else
    say "$name: DIFFERS"
    diff "$work/reference" "$work/other" | head -20 >&2 || true
    status=1
  fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
input=tests/isa/sentences.en
translate build/release/bin/dragoman > "$work/reference"
[[ $(wc -l < "$work/reference") == $(wc -l < "$input") ]] || die "The release build lost sentences"
for preset in no-vnni avx2; do
  build_preset "$preset" --target dragoman_cli
  compare "$preset" "build/$preset/bin/dragoman"
done
compare "emulated Haswell" qemu-x86_64 -cpu Haswell build/release/bin/dragoman
exit "$status"
