# Sourced by installers. Unpacks packages of other Debian suites into a folder, without changing the system.

# private_apt PLACE SUITE…: a private apt in PLACE/apt, which knows the packages of the system. Sets `apt`. The
# caller can write PLACE/apt/preferences.
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

# unpack PLACE: unpacks the downloaded packages into PLACE/root.
unpack() {
  local package
  for package in "$1"/apt/archives/*.deb; do dpkg -x "$package" "$1/root"; done
  rm -rf "$1/apt"
}
