-- `:checkhealth mcp_host`: whether the host can start, where the definitions are looked for, and what the doctor says.
local process = require('mcp_host.process')

local M = {}

local CHECK_MS = 20000
local DOCTOR_MS = 10000
local VERSIONS = [[
import importlib.metadata as metadata, sys
import mcp_host
print(sys.version.split()[0], metadata.version("mcp-host"), metadata.version("pynvim"), metadata.version("mcp"))
]]

---@return boolean can_start
local function check_python()
  local python, tried = process.python()
  if not python then
    vim.health.error('no Python environment with the host: looked for ' .. table.concat(tried, ' and '), {
      'Run :McpInstall',
      'or set vim.g.mcp_host_python',
    })
    return false
  end
  vim.health.ok('python: ' .. python)
  local options = { text = true, timeout = CHECK_MS, cwd = process.repo }
  local done = vim.system({ python, '-I', '-c', VERSIONS }, options):wait()
  local versions = vim.split(vim.trim(done.stdout or ''), ' ')
  if done.code ~= 0 or #versions ~= 4 then
    local said = vim.split(vim.trim(done.stderr or ''), '\n')
    vim.health.error('the host cannot be imported: ' .. said[#said], { 'Run :McpInstall' })
    return false
  end
  vim.health.ok(('Python %s, mcp-host %s, pynvim %s, mcp %s'):format(unpack(versions)))
  return true
end

local function check_definitions()
  local file = process.config_file()
  if vim.fn.filereadable(file) == 1 then
    vim.health.info('definitions: ' .. file)
  else
    vim.health.info('no file of definitions of your own yet: ' .. file .. ' (:help mcp-host-definitions)')
  end
end

---@param value any
---@return table
local function list(value)
  return type(value) == 'table' and value or {}
end

---@param format string
local function line(format, ...)
  return require('mcp_host.visible').line(format:format(...))
end

---@param what string|nil nil: its title names what it is about
---@param problem McpProblem
local function report_problem(what, problem)
  local title = what and line('%s: %s', what, problem.title) or line('%s', problem.title)
  local detail = (problem.detail or '') ~= '' and line(': %s', problem.detail) or ''
  vim.health.error(title .. detail, { line('%s', problem.hint) })
end

---@param layer table
local function report_layer(layer)
  local is_path = vim.startswith(layer.file, '/')
  local what = is_path and line('%s (%s)', layer.layer, layer.file) or line('%s', layer.file)
  for _, problem in ipairs(list(layer.problems)) do
    if problem.type ~= 'definition-untrusted' then -- said below, in fewer words
      report_problem(what, problem)
    end
  end
  if layer.state == 'untrusted' then
    vim.health.warn(what .. ': not approved, so it defines nothing', { 'Look at it with :McpTrust' })
  elseif layer.state == 'ignored' then
    vim.health.info(what .. ': ignored, as you said; :McpTrust shows it')
  elseif layer.state == 'absent' then
    vim.health.info(what .. ': not there')
  elseif layer.state == 'read' then
    vim.health.ok(('%s: %d %s'):format(what, layer.servers, layer.servers == 1 and 'server' or 'servers'))
  elseif #list(layer.problems) == 0 then
    vim.health.error(('%s: %s'):format(what, layer.state))
  end
end

---@param server table
---@return string[] the names that are not set, each once
local function missing_names(server)
  local missing = {}
  for _, reference in ipairs(list(server.references)) do
    if reference.state == 'missing' and not vim.tbl_contains(missing, reference.name) then
      missing[#missing + 1] = reference.name
    end
  end
  return missing
end

---What no problem says yet, because nobody tried to connect.
---@param server table
---@param has_resolver boolean
---@return boolean found
local function report_lacks(server, has_resolver)
  local known = list(server.problem).type
  local missing, found = missing_names(server), false
  if #list(server.searched) > 0 and known ~= 'server-unavailable' then
    found = true
    local advice = { 'Install it, or write its absolute path as command', ':McpDoctor says where it was looked for' }
    vim.health.error(line('%s: %s was not found', server.alias, server.target), advice)
  end
  if #missing > 0 and known ~= 'reference-missing' and not has_resolver then
    found = true
    local advice = { 'Set it where Neovim is started, or feed it with setup{ resolve }' }
    vim.health.error(line('%s: not set: %s', server.alias, table.concat(missing, ', ')), advice)
  end
  return found
end

---@param server table
---@param has_resolver boolean
local function report_server(server, has_resolver)
  local is_fine = not report_lacks(server, has_resolver)
  if type(server.problem) == 'table' then
    is_fine = false
    report_problem(nil, server.problem)
  end
  for _, warning in ipairs(list(server.warnings)) do
    is_fine = false
    vim.health.warn(line('%s: %s', server.alias, warning))
  end
  if is_fine then
    vim.health.ok(line('%s: %s, %s', server.alias, server.status, server.target))
  end
end

-- Starts the host, and no server.
local function check_doctor()
  vim.health.start('mcp-host.nvim: definitions and servers (:McpDoctor)')
  local reply ---@type McpReply|nil
  require('mcp_host.rpc').request('doctor', { want = 'document' }, function(answer)
    reply = answer
  end)
  vim.wait(DOCTOR_MS, function()
    return reply ~= nil
  end, 20)
  if not reply then
    return vim.health.error(('the host did not answer within %d seconds'):format(DOCTOR_MS / 1000), {
      'Read ' .. process.log_dir() .. '/host.log',
    })
  elseif reply.problem then
    return report_problem('the host', reply.problem)
  end
  local doctor = list(list(reply.document).doctor)
  for _, layer in ipairs(list(doctor.layers)) do
    report_layer(layer)
  end
  for _, server in ipairs(list(doctor.servers)) do
    report_server(server, doctor.resolver == true)
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
  local can_start = check_python()
  check_definitions()
  local peer = require('mcp_host.rpc').peer()
  vim.health.info(peer and 'the host is running' or 'the host is not running; the first command starts it')
  vim.health.info('logs: ' .. process.log_dir())
  if can_start then
    check_doctor()
  end
end

return M
