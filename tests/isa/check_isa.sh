#!/usr/bin/env bash
# The same ids and the same bits of the scores on every x86-64 processor with fused multiply-add: all builds and
# processors below against the release build on this one. Two of the builds leave out XNNPACK's VNNI kernels and all of
# its AVX-512 kernels. On processors without FMA the program must translate or refuse, and may not crash.
# Usage: tests/isa/check_isa.sh     After the release build and the conversion of the model, as tests/run.sh does them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../platforms/setup.sh"
cd "$root"
if [[ $(uname -m) != x86_64 ]]; then
  say "SKIPPED: this processor is not x86-64"
  exit 0
fi

model=build/models/en-pt.drg
own=tests/isa/sentences.en
news=${DRAGOMAN_SHARED_DIR:-../shared}/text/set1.en
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail() { say "FAILED: $*"; status=1; }

# same NAME REFERENCE OUTPUT: both files must be equal.
same() {
  if cmp -s "$2" "$3"; then
    say "$1: $(wc -l < "$3") lines, equal"
  else
    fail "$1: $(diff "$2" "$3" | grep -c '^>') lines differ"
    diff "$2" "$3" | head -6 >&2 || true
  fi
}

# Lines of translate_bits, with a command to run it by: bits TEXT BUILD [EMULATOR...]
bits() {
  local text=$1 build=$2
  shift 2
  "$@" "build/$build/bin/translate_bits" "$model" "$text" || fail "build/$build, $text"
}

# The program's own output for some of the text, with a command to run it by.
program() {
  local lines=$1
  shift
  head -n "$lines" "$own" | "$@" build/release/bin/dragoman translate -m "$model" --json --quiet
}

build_preset release --target translate_bits --target dragoman_cli
cp "$own" "$work/own.en"
if [[ -f $news ]]; then cp "$news" "$work/news.en"; else say "SKIPPED: there is no $news; only $own is compared"; fi
for text in "$work"/*.en; do
  bits "$text" release > "$text.reference"
  [[ $(wc -l < "$text.reference") == $(wc -l < "$text") ]] || die "The release build lost lines of ${text##*/}"
done

for preset in no-vnni avx2; do
  build_preset "$preset" --target translate_bits
  for text in "$work"/*.en; do
    bits "$text" "$preset" > "$text.other"
    same "XNNPACK $preset, ${text##*/}" "$text.reference" "$text.other"
  done
done

if ! command -v qemu-x86_64 > /dev/null; then
  fail "qemu-x86_64 (package qemu-user) is not installed"
  exit 1
fi
program 60 > "$work/program"
program 60 qemu-x86_64 -cpu Haswell > "$work/program.haswell" 2> "$work/error" || fail "emulated Haswell: $(tail -3 "$work/error")"
same "program, emulated Haswell" "$work/program" "$work/program.haswell"
head -n 8 "$work/program" > "$work/start"
for cpu in SandyBridge Nehalem core2duo; do
  code=0
  program 8 qemu-x86_64 -cpu "$cpu" > "$work/old" 2> "$work/error" || code=$?
  if ((code == 0)) && [[ $(wc -l < "$work/old") == 8 ]]; then
    say "emulated $cpu (no FMA): translates; $(diff "$work/start" "$work/old" | grep -c '^>' || true) of 8 lines differ in ids or score"
  elif ((code > 0 && code < 128)); then
    say "emulated $cpu (no FMA): refuses with: $(tail -1 "$work/error")"
  else
    fail "emulated $cpu ended with $code: $(tail -3 "$work/error")"
  fi
done
exit "$status"
