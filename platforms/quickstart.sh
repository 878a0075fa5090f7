#!/usr/bin/env bash
# From a fresh checkout to a translation, English to Portuguese.
# Usage: bash platforms/quickstart.sh "How are you today?"      or: bash platforms/quickstart.sh < text
# Installs tools, gets third-party sources, builds, gets the model, converts it, translates. What is there already is
# kept, so a second run starts in seconds. Standard output carries nothing but the translation.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

need_packages "${build_packages[@]}"
if [[ -f $root/build/release/build.ninja ]]; then
  build_preset release --target dragoman_cli
else
  build_preset release --target dragoman_cli -- -DDRAGOMAN_BUILD_TESTS=OFF
fi
get_models
convert_model enpt-1693087644 en-pt

translate=("$root/build/release/bin/dragoman" translate -m "$root/build/models/en-pt.drg")
if (($#)); then
  exec "${translate[@]}" -- "$*"
fi
[[ -t 0 ]] && say "Type English text, one line at a time; end with Ctrl-D."
exec "${translate[@]}"
