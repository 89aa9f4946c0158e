#!/bin/sh
# Every check of this project, in the order of how fast it answers. All of them run, even after one has failed.
#
#   sh scripts/test.sh [pytest arguments]
#
#   MCP_HOST_NVIM=/path/to/nvim         the Neovim to test with (otherwise 0.11.4, which the test extra brings)
#   MCP_HOST_NVIMS="trixie sid"         also run the editor's tests on these Debian suites' Neovim (scripts/get_nvim.sh)
#   MCP_HOST_PYTHON=python3.12          the Python a missing .venv is made with
#   CI=true                             a check that cannot run is a failure, not a skip
set -u
cd "$(dirname "$0")/.." || exit 1

STYLUA_VERSION=2.5.2
LINES_AT_MOST=400
LUA_PATHS='lua plugin build.lua scripts'
EDITOR_TESTS=tests/editor

cache=.cache
python=.venv/bin/python
bin=.venv/bin
failed=
skipped=
export PYRIGHT_PYTHON_IGNORE_WARNINGS=1 PIP_DISABLE_PIP_VERSION_CHECK=1 DEBIAN_FRONTEND=noninteractive

heading() { printf '\n== %s\n' "$1"; }

# step NAME COMMAND...: runs one check under its heading and remembers a failure.
step() {
  name=$1
  shift
  heading "$name"
  "$@" || failed="$failed
  $name"
}

# cannot NAME WHY: a check that this machine cannot run. Skipped and said so by hand, a failure in CI.
cannot() {
  if [ "${CI:-}" = true ]; then
    echo "cannot run: $2" >&2
    return 1
  fi
  echo "SKIPPED: $2"
  skipped="$skipped
  $1: $2"
}

existing() { # the arguments that exist
  for path; do [ -e "$path" ] && printf '%s\n' "$path"; done
}

# --- the environment ----------------------------------------------------------------------------------------------

make_environment() {
  if command -v uv >/dev/null 2>&1; then
    uv venv --quiet --seed ${MCP_HOST_PYTHON:+--python "$MCP_HOST_PYTHON"} .venv
  elif ! "${MCP_HOST_PYTHON:-python3}" -m venv .venv; then
    rm -rf .venv
    echo 'Could not make .venv. On Debian and Ubuntu the venv module is a package of its own: apt-get install python3-venv' >&2
    return 1
  fi
}

install_project() {
  if command -v uv >/dev/null 2>&1; then
    uv pip install --quiet --python "$python" -e '.[test]'
  else
    "$python" -m pip install -qq -e '.[test]'
  fi
}

# The stamp is the pyproject.toml that was installed last: the same text, nothing to do.
prepare() {
  [ -x "$python" ] || make_environment || return 1
  cmp -s pyproject.toml .venv/installed.toml || { install_project && cp pyproject.toml .venv/installed.toml; }
}

# --- the checks ---------------------------------------------------------------------------------------------------

find_luacheck() {
  command -v luacheck >/dev/null 2>&1 && return 0
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
  apt-get -qq update >/dev/null 2>&1
  apt-get -qq install -y --no-install-recommends lua-check >/dev/null 2>&1 </dev/null
  command -v luacheck >/dev/null 2>&1
}

check_lua() {
  if find_luacheck; then
    # shellcheck disable=SC2046  # our own paths hold no blanks
    luacheck --quiet --no-color $(existing $LUA_PATHS)
  else
    cannot 'luacheck' 'luacheck is not installed (Debian: apt-get install lua-check)'
  fi
}

check_lua_format() {
  stylua=$cache/npm/$STYLUA_VERSION/node_modules/.bin/stylua
  if [ ! -x "$stylua" ] && command -v npm >/dev/null 2>&1; then
    npm install --silent --no-audit --no-fund --prefix "$cache/npm/$STYLUA_VERSION" \
      "@johnnymorganz/stylua-bin@$STYLUA_VERSION" >/dev/null 2>&1 </dev/null
  fi
  if [ -x "$stylua" ]; then
    # shellcheck disable=SC2046
    "$stylua" --check $(existing $LUA_PATHS)
  else
    cannot 'stylua' "stylua $STYLUA_VERSION could not be installed with npm (@johnnymorganz/stylua-bin)"
  fi
}

check_lengths() {
  # shellcheck disable=SC2046
  long=$(find $(existing src tests lua plugin rplugin bench) -type f \( -name '*.py' -o -name '*.lua' \) -exec wc -l {} + |
    awk -v most="$LINES_AT_MOST" '$2 != "total" && $1 > most { print "  " $2 ": " $1 " lines" }')
  [ -z "$long" ] && return 0
  printf 'over %s lines, look for the seam:\n%s\n' "$LINES_AT_MOST" "$long" >&2
  return 1
}

test_other_neovim() {
  nvim=$cache/nvim/$1/nvim
  if [ ! -x "$nvim" ] && ! bash scripts/get_nvim.sh "$1" "$cache/nvim/$1" >"$cache/nvim-$1.log" 2>&1; then
    cannot "Neovim of $1" "no Neovim could be had from Debian's $1 (see $cache/nvim-$1.log)"
    return
  fi
  MCP_HOST_NVIM=$PWD/$nvim "$python" -m pytest -q $EDITOR_TESTS
}

# The editor's tests wait for an editor most of the time, so they run beside the others: two cores have room for both.
test_everything() {
  if [ $# -gt 0 ]; then
    "$python" -m pytest -q "$@"
    return
  fi
  "$python" -m pytest -q --ignore "$EDITOR_TESTS" >"$cache/tests.out" 2>&1 &
  others=$!
  trap 'kill "$others" 2>/dev/null; exit 130' INT TERM
  "$python" -m pytest -q "$EDITOR_TESTS"
  editors=$?
  wait "$others"
  rest=$?
  trap - INT TERM
  cat "$cache/tests.out"
  [ "$editors" -eq 0 ] && [ "$rest" -eq 0 ]
}

# --- run ----------------------------------------------------------------------------------------------------------

mkdir -p "$cache"
heading 'environment'
prepare || exit 1
"$python" --version

step 'format' "$bin/ruff" format --check --quiet
step 'lint' "$bin/ruff" check --quiet
step 'types' "$bin/pyright"
step 'imports' "$bin/lint-imports" --no-logo --cache-dir "$cache/import_linter"
step 'lua' check_lua
step 'lua format' check_lua_format
step "files of at most $LINES_AT_MOST lines" check_lengths
step 'tests' test_everything "$@"
for suite in ${MCP_HOST_NVIMS:-}; do
  step "tests on Neovim of $suite" test_other_neovim "$suite"
done

[ -z "$skipped" ] || printf '\nskipped:%s\n' "$skipped"
if [ -n "$failed" ]; then
  printf '\nFAILED:%s\n' "$failed" >&2
  exit 1
fi
printf '\nall checks passed\n'
