-- The host's process: which Python, how it is started, what becomes of its stderr.
-- stderr goes to a bounded file: what a job's stderr callback keeps would stay in the editor's memory.
local M = {}

local LOG_CAP_BYTES = 4 * 1024 * 1024 -- host.log and host.log.1 together stay under twice this
local TAIL_LINES = 20
local TAIL_LINE_BYTES = 500

local source = debug.getinfo(1, 'S').source:sub(2)
M.repo = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.uv.fs_realpath(source) or source)))

---@return string
function M.log_dir()
  return vim.fs.joinpath(vim.fn.stdpath('log') --[[@as string]], 'mcp_host')
end

---@return string
function M.venv()
  return vim.fs.joinpath(vim.fn.stdpath('data') --[[@as string]], 'mcp_host', 'venv')
end

---@return string
function M.config_file()
  local file = vim.g.mcp_host_config_file or vim.fs.joinpath(vim.fn.stdpath('config') --[[@as string]], 'mcp.toml')
  return vim.fs.normalize(file)
end

---@return string|nil python nil: none found
---@return string[] tried
function M.python()
  if vim.g.mcp_host_python then
    local chosen = vim.fs.normalize(vim.g.mcp_host_python)
    return vim.fn.executable(chosen) == 1 and chosen or nil, { chosen }
  end
  local tried = { M.repo .. '/.venv/bin/python', M.venv() .. '/bin/python' }
  for _, python in ipairs(tried) do
    if vim.fn.executable(python) == 1 then
      return python, tried
    end
  end
  return nil, tried
end

---@param title string
---@param detail string
---@param hint string
---@return McpProblem
local function failed(title, detail, hint)
  return { type = 'host-failed', title = title, detail = detail, hint = hint, retryable = false, causes = {} }
end

---@param tail string[]
---@param how string
---@return McpProblem
function M.ended(tail, how)
  local said = table.concat(tail, '\n')
  local log = M.log_dir() .. '/host.log'
  local hint = 'Read ' .. log .. '; the next command starts the host again.'
  if said:find('No module named', 1, true) then
    hint = 'Run :McpInstall, which puts the host and what it needs into an environment of its own.'
  end
  return failed('The MCP host ' .. how .. '.', said ~= '' and said or 'It wrote nothing to stderr.', hint)
end

-- Appends to host.log, moving it to host.log.1 before it passes the cap; keeps the last lines for the problem.
local function stderr_sink()
  local file, size = nil, 0
  local tail, partial = {}, ''
  local path = M.log_dir() .. '/host.log'

  local function append(text)
    if file and size + #text > LOG_CAP_BYTES then
      vim.uv.fs_close(file)
      vim.uv.fs_rename(path, path .. '.1')
      file = nil
    end
    if not file then
      file = vim.uv.fs_open(path, 'a', 384) -- 0600
      local stat = file and vim.uv.fs_fstat(file)
      size = stat and stat.size or 0
    end
    if file then
      vim.uv.fs_write(file, text)
      size = size + #text
    end
  end

  local function keep(line)
    tail[#tail + 1] = line:sub(1, TAIL_LINE_BYTES)
    if #tail > TAIL_LINES then
      table.remove(tail, 1)
    end
  end

  local sink = {}
  function sink.write(_, data)
    if #data == 1 and data[1] == '' then
      return -- end of file
    end
    append(table.concat(data, '\n'))
    for index, piece in ipairs(data) do
      partial = (partial .. piece):sub(1, TAIL_LINE_BYTES)
      if index < #data then
        keep(partial)
        partial = ''
      end
    end
  end
  function sink.tail()
    local lines = vim.list_extend({}, tail)
    if partial ~= '' then
      lines[#lines + 1] = partial
    end
    return lines
  end
  function sink.close()
    if file then
      vim.uv.fs_close(file)
      file = nil
    end
  end
  return sink
end

---@param on_exit fun(code: integer)
---@return McpPeer|nil
---@return McpProblem|nil
local function start_job(on_exit)
  local python, tried = M.python()
  if not python then
    return nil,
      failed(
        'No Python environment with the MCP host was found.',
        'Looked for ' .. table.concat(tried, ' and ') .. '.',
        'Run :McpInstall, or set vim.g.mcp_host_python.'
      )
  end
  vim.fn.mkdir(M.log_dir(), 'p', '0700')
  local sink = stderr_sink()
  local started, channel = pcall(vim.fn.jobstart, { python, '-I', '-m', 'mcp_host' }, {
    rpc = true,
    -- `python -m` would import from the folder the editor stands in, which may be anybody's. Isolated it does not, and
    -- not from PYTHONPATH either, which may hold such a folder.
    cwd = M.repo,
    env = { MCP_HOST_LOG = M.log_dir() .. '/host.log' },
    on_stderr = sink.write,
    on_exit = function(_, code)
      sink.close()
      on_exit(code)
    end,
  })
  if not started or channel <= 0 then
    return nil, failed('The MCP host cannot be started.', tostring(channel), 'Check vim.g.mcp_host_python: ' .. python)
  end
  return { channel = channel, pid = vim.fn.jobpid(channel), python = python, tail = sink.tail }
end

local clones = 0

-- The official loader, without a manifest: a clone of the python3 host that loads our shim only.
---@return McpPeer|nil
---@return McpProblem|nil
local function start_rplugin()
  clones = clones + 1
  local name = 'mcp_host_' .. clones -- a host that ended keeps its name, so a restart takes a new one
  local started, channel = pcall(function()
    vim.fn['remote#host#RegisterClone'](name, 'python3')
    vim.fn['remote#host#RegisterPlugin'](name, M.repo .. '/rplugin/python3/mcp_host_rplugin.py', {})
    return vim.fn['remote#host#Require'](name)
  end)
  if not started or channel == 0 then
    local hint = 'Check g:python3_host_prog (:checkhealth provider), or unset vim.g.mcp_host_loader.'
    return nil, failed("Neovim's Python provider could not load the MCP host.", tostring(channel), hint)
  end
  local known, pid = pcall(vim.fn.jobpid, channel)
  return {
    channel = channel,
    pid = known and pid or nil,
    tail = function()
      return {}
    end,
  }
end

---@param on_exit fun(code: integer) not called by the rplugin loader, which tells nobody: see `is_alive`
---@return McpPeer|nil
---@return McpProblem|nil
function M.start(on_exit)
  if vim.g.mcp_host_loader == 'rplugin' then
    return start_rplugin()
  end
  return start_job(on_exit)
end

---@param peer McpPeer
---@return boolean
function M.is_alive(peer)
  local known, info = pcall(vim.api.nvim_get_chan_info, peer.channel)
  return known and next(info) ~= nil
end

return M
