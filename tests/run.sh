#!/usr/bin/env bash
# Sets everything up and runs every test: lint, the sanitizer build's unit and robustness tests, equality of results
# over instruction sets, ARM builds under emulation, then all tests of the release build, with whose CTest summary it
# ends, or with what failed.
# Usage: bash tests/run.sh     Exit code 0 if all passed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../platforms/setup.sh"
cd "$root"

test_packages=(python3-venv qemu-user)
lint_packages=(clang-format-14 clang-tidy-14)  # findings differ from version to version, so this one
failed=()
mkdir -p build/logs

step() {
  say ""
  say "== $* ($((SECONDS / 60)) min $((SECONDS % 60)) s since the start)"
}
# Runs the rest of the arguments and remembers under the first one if they fail, so that later steps still run.
attempt() {
  local name=$1
  shift
  "$@" 2>&1 | tee "build/logs/$name" || failed+=("$name")
}
# Says again what went wrong, where a reader of a long output looks first.
recall() {
  local name
  for name in "$@"; do
    say ""
    say "FAILED: $name (all of it: build/logs/$name)"
    grep -E '^FAILED|\*\*\*(Failed|Exception|Timeout|Not Run)| - .*\((Failed|Timeout|Not Run|[A-Z]+)\)|(error|warning): ' \
      "build/logs/$name" | tail -n 40 >&2 || true
  done
}

step "Tools"
need_packages "${build_packages[@]}" "${test_packages[@]}"
if ! command -v clang-tidy-14 > /dev/null || ! command -v clang-format-14 > /dev/null; then
  need_packages "${lint_packages[@]}" || say "clang-format-14 and clang-tidy-14 are not to be had here."
fi
if ! cmp -s tests/requirements.txt build/venv/installed; then
  say "Installing the Python packages of tests/requirements.txt into build/venv"
  python3 -m venv build/venv
  build/venv/bin/python3 -m pip install --disable-pip-version-check --quiet -r tests/requirements.txt >&2
  cp tests/requirements.txt build/venv/installed
fi
get_models

step "Release build"
build_preset release -- -DDRAGOMAN_BUILD_TESTS=ON
attempt convert-en-pt convert_model enpt-1693087644 en-pt
attempt convert-pt-en convert_model pten-1693087646 pt-en
step "clang-tidy"
if command -v clang-tidy-14 > /dev/null; then
  attempt clang-tidy bash tests/lint.sh tidy build/release
else
  say "SKIPPED: clang-tidy-14 is not installed"
fi
step "Address and undefined behaviour sanitizers"
attempt "sanitizer build" build_preset asan --target tests_unit --target tests_robustness -- -DDRAGOMAN_BUILD_TESTS=ON
attempt sanitizers ctest --preset asan -j "$(nproc)"

step "Equal results on every instruction set"
attempt isa bash tests/isa/check_isa.sh
step "ARM Linux, cross-compiled and emulated"
attempt arm bash tests/isa/check_arm.sh

step "All tests, release build"
attempt release ctest --preset release -j "$(nproc)"
recall "${failed[@]}"
exit "$((${#failed[@]} > 0))"
