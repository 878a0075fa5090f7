#!/usr/bin/env bash
# Downloads the pinned source archives from Debian's source archive into a folder and verifies them.
# Usage: fetch_sources.sh FOLDER     Needs apt-get; no root. Archives that are there and intact are kept.
# Neighbours: dependencies.cmake holds names, versions and hashes; dependency_sources.cmake calls this and extracts.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:?usage: fetch_sources.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
offline="$here/../../shared/third_party"  # archives beside the repository, for when a mirror answers badly

say() { printf '%s\n' "$*" >&2; }
pins() { sed -n 's/^  "\([a-z0-9-]*|.*\)"$/\1/p' "$here/dependencies.cmake"; }
intact() { [[ -f $1 ]] && echo "$2  $1" | sha256sum --check --status; }

# URI and key of the machine's own Debian archive: the first source that lists this release's main component.
# Prints "URI KEY"; KEY is - when the source names none. Reads both the .sources and the one-line format.
debian_source() {
  local release files=()
  release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
    [[ -f $file ]] && files+=("$file")
  done
  ((${#files[@]})) || return 1
  awk -v release="$release" '
    function report() {
      if (!found && uri != "" && suites ~ ("(^| )" release "($| )") && components ~ /(^| )main($| )/) {
        print uri, (key ~ /^\// ? key : "-"); found = 1
      }
      uri = suites = components = key = ""
    }
    FNR == 1 { report() }
    /^#/ { next }
    /^[ \t]*$/ { report(); next }
    /^URIs:/ { uri = $2; next }
    /^Suites:/ { sub(/^Suites:[ \t]*/, ""); suites = $0; next }
    /^Components:/ { sub(/^Components:[ \t]*/, ""); components = $0; next }
    /^Signed-By:/ { key = $2; next }
    /^deb[ \t]/ {
      line = $0; sub(/^deb[ \t]+/, "", line); options = ""
      if (match(line, /^\[[^]]*\]/)) { options = substr(line, 2, RLENGTH - 2); line = substr(line, RLENGTH + 1) }
      count = split(line, word, /[ \t]+/); first = (word[1] == "" ? 2 : 1)
      uri = word[first]; suites = word[first + 1]; components = ""
      for (i = first + 2; i <= count; i++) components = components " " word[i]
      if (match(options, /signed-by=[^ ]+/)) key = substr(options, RSTART + 10, RLENGTH - 10)
      report()
    }
    END { report() }' "${files[@]}"
}

# An apt configuration of its own, so that neither the machine's package lists nor its sources change.
prepare_apt() {
  local uri key
  read -r uri key < <(debian_source) || return 1
  [[ -n $uri ]] || return 1
  mkdir -p "$folder/apt"/{sources,lists/partial,cache/archives/partial}
  [[ $key == - && -f /usr/share/keyrings/debian-archive-keyring.gpg ]] && key=/usr/share/keyrings/debian-archive-keyring.gpg
  {
    printf 'Types: deb-src\nURIs: %s\nSuites: bookworm trixie sid\nComponents: main\n' "$uri"
    [[ $key == - ]] || printf 'Signed-By: %s\n' "$key"
  } > "$folder/apt/sources/debian.sources"
  cat > "$folder/apt/apt.conf" <<CONF
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$folder/apt/sources";
Dir::State::lists "$folder/apt/lists";
Dir::Cache "$folder/apt/cache";
APT::Sandbox::User "$(id -un)";
CONF
  export APT_CONFIG="$folder/apt/apt.conf"
  say "Reading the lists of Debian's source archive"
  apt-get update -qq >&2
}

# One package at a time: an archive that a mirror does not serve must not take the others with it.
fetch_with_apt() {
  local name=$1 version=$2
  say "Fetching the source of $name $version"
  (cd "$folder" && apt-get source -qq --tar-only --download-only "$name=$version" >&2)
}

missing=0
apt_state=unknown
while IFS='|' read -r name version archive sha256 _ _; do
  intact "$folder/$archive" "$sha256" && continue
  if [[ $apt_state == unknown ]]; then
    if command -v apt-get > /dev/null && prepare_apt; then apt_state=ready; else apt_state=unusable; fi
  fi
  rm -f "$folder/$archive"
  if [[ $apt_state == ready ]]; then fetch_with_apt "$name" "$version" < /dev/null || true; fi
  if ! intact "$folder/$archive" "$sha256" && intact "$offline/$archive" "$sha256"; then
    say "Taking $archive from $(cd "$offline" && pwd)"
    cp "$offline/$archive" "$folder/$archive"
  fi
  if ! intact "$folder/$archive" "$sha256"; then
    say "Could not get $archive"
    rm -f "$folder/$archive"
    missing=1
  fi
done < <(pins)
rm -rf "$folder/apt"
exit "$missing"
