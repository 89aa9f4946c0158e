-- Neovim runs LuaJIT and gives plugins one global.
std = 'luajit'
cache = false
codes = true
max_line_length = 120
max_cyclomatic_complexity = 15 -- every `and` and `or` counts as a branch
globals = { 'vim' }
self = false
unused_secondaries = true
ignore = {
  '212/_.*', -- an argument that starts with an underscore is unused on purpose
}
