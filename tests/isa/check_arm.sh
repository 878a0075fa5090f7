#!/usr/bin/env bash
# ARM Linux, cross-compiled and run on emulated cores: the tests, and the same ids and bits of all scores as here.
#   aarch64: on every core below the same bits as this x86-64 machine gives; what was converted here is read there
#   armv7: its own bits (no exact division in its vectors, no double), the same on every core; translations agree by chrF
# The first core of each architecture runs every test of the preset, each other core those whose code may depend on it.
# Usage: tests/isa/check_arm.sh     After the release build and the conversion of the model, as tests/run.sh does them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../../platforms/setup.sh"
cd "$root"

packages=(g++-aarch64-linux-gnu g++-arm-linux-gnueabihf qemu-user)
cores_aarch64=(cortex-a53 cortex-a72 cortex-a76 max)
cores_armv7=(cortex-a7 cortex-a15)
by_core='^(kernels|engine|golden|families)\.'  # tests that every core runs
least_chrf=97
sentences=60
shared=${DRAGOMAN_SHARED_DIR:-../shared}
python=build/venv/bin/python3
[[ -x $python ]] || python=python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

fail() { say "FAILED: $*"; status=1; }
# Says how long the rest of the arguments took; their exit code is kept.
timed() {
  local name=$1 start=$SECONDS code=0
  shift
  "$@" || code=$?
  say "$name: $((SECONDS - start)) s"
  return "$code"
}

# --- What is compared: lines "NAME MODEL FILE OPTIONS"

# random_ids SIZE: 60 lines of up to 24 source ids below SIZE, from a small linear congruential generator.
random_ids() {
  awk -v size="$1" -v lines="$sentences" 'function next_id() { x = (x * 16807) % 2147483647; return 3 + x % (size - 3) }
    BEGIN { x = 20240607; for (i = 1; i <= lines; i++) { n = 1 + i % 24; line = next_id()
      for (j = 1; j < n; j++) line = line " " next_id(); print line } }'
}

convert_here() { build/release/bin/dragoman convert "$1" -o "$2" --quiet; }

list_cases() {
  local folder name size beam
  head -n "$sentences" tests/isa/sentences.en > "$work/own.en"
  if [[ -f build/models/en-pt.drg ]]; then
    for beam in 1 4; do echo "student build/models/en-pt.drg $work/own.en --beam $beam"; done
  else
    say "SKIPPED: there is no build/models/en-pt.drg (tests/run.sh makes it)"
  fi
  folder=$shared/models/multi30k-en-de
  if [[ -d $folder ]]; then
    convert_here "$folder" "$work/multi30k.drg"
    head -n "$sentences" "$folder/reference/test_2016_flickr.en" > "$work/multi30k.en"
    for beam in 1 4; do echo "multi30k $work/multi30k.drg $work/multi30k.en --beam $beam"; done
  else
    say "SKIPPED: there is no $folder; of trained models only the student is compared"
  fi
  for folder in tests/data/families/*/config.json; do
    folder=${folder%/config.json}
    name=${folder##*/}
    size=$(sed -n 's/^ *"vocab_size": *\([0-9]*\),\{0,1\}$/\1/p' "$folder/config.json")
    convert_here "$folder" "$work/$name.drg"
    random_ids "$size" > "$work/$name.ids"
    echo "$name $work/$name.drg $work/$name.ids --ids --beam 4"
  done
}

# --- One architecture

declare -A runners=([linux-aarch64]="qemu-aarch64 -L /usr/aarch64-linux-gnu" [linux-armv7]="qemu-arm -L /usr/arm-linux-gnueabihf")

# translations PRESET CORE...: the lines of every case into $work/CORE/<name>-<beam>, as many at once as there are
# processors. The preset `release` runs here and has one core, named "here".
translations() {
  local preset=$1 core name model file options
  shift
  for core in "$@"; do mkdir -p "$work/$core"; done
  for core in "$@"; do
    while read -r name model file options; do
      echo "QEMU_CPU=$core ${runners[$preset]:-} build/$preset/bin/translate_bits $model $file $options" \
        "> $work/$core/$name-${options##* }"
    done < "$work/cases"
  done | xargs -d '\n' -P "$(nproc)" -n 1 bash -c || fail "translations on $preset"
}

# same NAME EXPECTED FOUND: every file of the folders must be equal.
same() {
  local file lines=0 different=0
  for file in "$2"/*; do
    lines=$((lines + $(wc -l < "$file")))
    cmp -s "$file" "$3/${file##*/}" && continue
    different=$((different + 1))
    say "  ${file##*/}: $(diff "$file" "$3/${file##*/}" | grep -c '^<') of $(wc -l < "$file") lines differ"
  done
  if ((different == 0 && lines > 0)); then say "$1: $lines translations, ids and score bits equal"; else fail "$1"; fi
}

# close NAME EXPECTED FOUND: chrF of the trained models' translations.
close() {
  local file
  for file in "$2"/student-* "$2"/multi30k-*; do
    [[ -f $file ]] || continue
    cut -f2 "$file" > "$work/expected"
    cut -f2 "$3/${file##*/}" > "$work/found"
    "$python" - "$work/expected" "$work/found" "$least_chrf" "$1, ${file##*/}" >&2 <<'PY' || fail "$1, ${file##*/}"
import sys

import sacrebleu

expected, found = (open(path, encoding="utf-8").read().split("\n")[:-1] for path in sys.argv[1:3])
score = sacrebleu.corpus_chrf(found, [expected]).score
print(f"{sys.argv[4]}: chrF {score:.2f} to the translations of this machine")
sys.exit(len(expected) != len(found) or score < float(sys.argv[3]))
PY
  done
}

# Every test on the first core, those that depend on it on the others.
test_on_cores() {
  local preset=$1 core selection=()
  shift
  for core in "$@"; do
    say "$preset on $core: ${selection[*]:-every test of the preset}"
    QEMU_CPU=$core timed "Tests on $core" ctest --preset "$preset" -j "$(nproc)" --quiet --output-log "$work/$core.log" \
      "${selection[@]}" || fail "tests on $core"
    # What a failed test said stands between its line and the next one's.
    awk '/^ *[0-9]+\/[0-9]+ Test/ { on = /\*\*\*(Failed|Exception|Timeout|Not Run)/ } /tests passed/ { on = 0 }
      on && ++lines <= 200' "$work/$core.log" >&2
    sed -n '/tests passed/,$p' "$work/$core.log" >&2
    selection=(-R "$by_core")
  done
}

# The tests that CTest would run with these options.
names() { ctest -N "$@" | sed -n 's/^ *Test *#[0-9]*: //p' | sort; }

# check PRESET CORE...
check() {
  local preset=$1
  timed "Building $preset" build_preset "$preset" || { fail "building $preset"; return; }
  say "Left out on $preset: all but unit, golden and family tests, what measures time, and whole texts of"
  say "trained models (of which $sentences sentences are compared below, every bit):"
  comm -23 <(names --test-dir "build/$preset") <(names --preset "$preset") | sed 's/^/  /' >&2
  test_on_cores "$@"
  timed "Translations on $preset" translations "$@"
}

need_packages "${packages[@]}" || true
for program in aarch64-linux-gnu-g++ arm-linux-gnueabihf-g++ qemu-aarch64 qemu-arm; do
  if ! command -v "$program" > /dev/null; then
    say "SKIPPED: nothing is tested on ARM, since there is no $program (packages ${packages[*]})"
    exit 0
  fi
done

build_preset release --target translate_bits --target dragoman_cli
list_cases > "$work/cases"
timed "Translations on this machine" translations release here
check linux-aarch64 "${cores_aarch64[@]}"
for core in "${cores_aarch64[@]}"; do same "aarch64 $core" "$work/here" "$work/$core"; done
check linux-armv7 "${cores_armv7[@]}"
for core in "${cores_armv7[@]:1}"; do same "armv7 $core" "$work/${cores_armv7[0]}" "$work/$core"; done
close "armv7 ${cores_armv7[0]}" "$work/here" "$work/${cores_armv7[0]}"
exit "$status"
