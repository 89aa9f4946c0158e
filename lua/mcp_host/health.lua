-- `:checkhealth mcp_host`: whether the host can start, and where the definitions are looked for.
local process = require('mcp_host.process')

local M = {}

local CHECK_MS = 20000
local VERSIONS = [[
import importlib.metadata as metadata, sys
import mcp_host
print(sys.version.split()[0], metadata.version("mcp-host"), metadata.version("pynvim"), metadata.version("mcp"))
]]

local function check_python()
  local python, tried = process.python()
  if not python then
    vim.health.error('no Python environment with the host: looked for ' .. table.concat(tried, ' and '), {
      'Run :McpInstall',
      'or set vim.g.mcp_host_python',
    })
    return
  end
  vim.health.ok('python: ' .. python)
  local options = { text = true, timeout = CHECK_MS, cwd = process.repo }
  local done = vim.system({ python, '-I', '-c', VERSIONS }, options):wait()
  local versions = vim.split(vim.trim(done.stdout or ''), ' ')
  if done.code ~= 0 or #versions ~= 4 then
    local said = vim.split(vim.trim(done.stderr or ''), '\n')
    vim.health.error('the host cannot be imported: ' .. said[#said], { 'Run :McpInstall' })
    return
  end
  vim.health.ok(('Python %s, mcp-host %s, pynvim %s, mcp %s'):format(unpack(versions)))
end

local function check_definitions()
  local file = process.config_file()
  if vim.fn.filereadable(file) == 1 then
    vim.health.ok('definitions: ' .. file)
  else
    vim.health.warn('no definitions yet: ' .. file, { 'See :help mcp-host-definitions' })
  end
end

function M.check()
  vim.health.start('mcp-host.nvim')
  local version = vim.version()
  if vim.fn.has('nvim-0.10') == 1 then
    vim.health.ok(('Neovim %d.%d.%d'):format(version.major, version.minor, version.patch))
  else
    vim.health.error('Neovim 0.10 or newer is needed')
  end
  check_python()
  check_definitions()
  local peer = require('mcp_host.rpc').peer()
  vim.health.info(peer and 'the host is running' or 'the host is not running; the first command starts it')
  vim.health.info('logs: ' .. process.log_dir())
end

return M
