-- lazy.nvim runs this after an install or update; by hand it is `nvim -l build.lua`.
local here = vim.fs.dirname(vim.uv.fs_realpath(debug.getinfo(1, 'S').source:sub(2)))
vim.opt.runtimepath:prepend(here)

local problem = require('mcp_host.install').run_and_wait(function(text)
  print('mcp-host.nvim: ' .. text)
end)
if problem then
  error(table.concat({ problem.title, problem.detail, problem.hint }, '\n'), 0)
end
