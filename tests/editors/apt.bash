# Sourced by installers: packages of Debian suites other than the system's, unpacked into a folder; the system stays as it is.

# private_apt PLACE SUITE…: an apt of its own in PLACE/apt, which knows what the system has; sets `apt`. Preferences of the
# caller's are in PLACE/apt/preferences.
private_apt() {
  local place="$1" suite
  shift
  mkdir -p "$place"/apt/{lists/partial,archives/partial} "$place/root"
  for suite in "$@"; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $suite main"
  done >"$place/apt/sources.list"
  apt=(apt-get -q -o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false
    -o Dir::State::lists="$place/apt/lists" -o Dir::Cache="$place/apt" -o Dir::Etc::SourceList="$place/apt/sources.list"
    -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences="$place/apt/preferences" -o Dir::Etc::PreferencesParts=/dev/null)
  "${apt[@]}" update
}

# unpack PLACE: what was downloaded, into PLACE/root.
unpack() {
  local package
  for package in "$1"/apt/archives/*.deb; do dpkg -x "$package" "$1/root"; done
  rm -rf "$1/apt"
}
