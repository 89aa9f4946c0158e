#!/bin/sh
# Installs the real MCP servers that the tests talk to, into .cache/peers (never into our own environment):
#   ts, everything      from npm, pinned in tests/peers/<name>/package.json
#   python: time, git   from PyPI, pinned below, in .cache/peers/venv
# Usage: sh scripts/peers.sh [--check] [ts] [everything] [python]
#   --check installs nothing and only says what is missing; without a name all of them are meant.
# Ends 0 when they are there, 1 otherwise. Quick when there is nothing to do.
set -eu

python_pins="mcp-server-time==2026.10.19 mcp-server-git==2026.10.19"

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
peers=$root/.cache/peers
status=0
check=no

if [ "${1-}" = --check ]; then
    check=yes
    shift
fi
[ $# -gt 0 ] || set -- ts everything python

missing() {
    echo "peers: $1: $2" >&2
    status=1
}

# The stamp is written last and holds what was installed: a broken install or a changed pin is done again.
is_installed() {
    [ -f "$peers/$1/.installed" ] && [ "$(cat "$peers/$1/.installed")" = "$2" ]
}

npm_peer() {
    name=$1
    source=$root/tests/peers/$name
    wanted=$(cat "$source/package.json")
    if is_installed "$name" "$wanted"; then
        [ "$check" = yes ] || copy_sources "$name"
        return 0
    fi
    if [ "$check" = yes ]; then
        missing "$name" "not installed; run: sh scripts/peers.sh"
        return 0
    fi
    if ! command -v npm >/dev/null 2>&1; then
        missing "$name" "cannot be had: npm is not installed (Node.js 20 or newer is needed; Debian: apt-get install nodejs npm)"
        return 0
    fi
    rm -rf "${peers:?}/$name"
    mkdir -p "$peers/$name"
    copy_sources "$name"
    echo "peers: $name: installing with npm" >&2
    if (cd "$peers/$name" && npm install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error) \
        >"$peers/$name.log" 2>&1 </dev/null; then
        printf '%s\n' "$wanted" >"$peers/$name/.installed"
    else
        missing "$name" "cannot be had: npm install failed, see $peers/$name.log"
    fi
}

copy_sources() {
    for file in "$root/tests/peers/$1"/package.json "$root/tests/peers/$1"/*.mjs; do
        [ ! -f "$file" ] || cmp -s "$file" "$peers/$1/${file##*/}" || cp "$file" "$peers/$1/"
    done
}

find_python() {
    for candidate in "${PYTHON:-}" "$root/.venv/bin/python" python3 python; do
        if [ -n "$candidate" ] && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

install_python_peers() {
    rm -rf "$peers/venv"
    # shellcheck disable=SC2086  # the list of requirements is meant to be split
    if command -v uv >/dev/null 2>&1; then
        uv venv --quiet --python "$1" "$peers/venv" && uv pip install --quiet --python "$peers/venv/bin/python" $python_pins
    else
        "$1" -m venv "$peers/venv" && "$peers/venv/bin/python" -m pip install --quiet --disable-pip-version-check $python_pins
    fi
}

python_peers() {
    if is_installed venv "$python_pins"; then
        return 0
    fi
    if [ "$check" = yes ]; then
        missing "time, git" "not installed; run: sh scripts/peers.sh"
        return 0
    fi
    if ! python=$(find_python); then
        missing "time, git" "cannot be had: no Python 3.10 or newer found"
        return 0
    fi
    mkdir -p "$peers"
    echo "peers: time, git: installing with $python" >&2
    if install_python_peers "$python" >"$peers/venv.log" 2>&1 </dev/null; then
        printf '%s\n' "$python_pins" >"$peers/venv/.installed"
    else
        missing "time, git" "cannot be had: the install failed, see $peers/venv.log"
    fi
}

for wanted_peer in "$@"; do
    case $wanted_peer in
        ts | everything) npm_peer "$wanted_peer" ;;
        python) python_peers ;;
        *) echo "usage: sh scripts/peers.sh [--check] [ts] [everything] [python]" >&2; exit 2 ;;
    esac
done
exit $status
