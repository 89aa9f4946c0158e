-- The one installer of the Python host: `:McpInstall`, lazy.nvim's build.lua and `nvim -l build.lua` all come here.
-- It makes a virtual environment of our own and never touches the person's.
local process = require('mcp_host.process')

local M = {}

local STEP_MS = 15 * 60 * 1000 -- a slow network may take this long; then something is wrong
local PYTHONS = { 'python3', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10' }
local OLDEST = 'import sys; sys.exit(0 if sys.version_info >= (3, 10) else 1)'

---@class (exact) McpInstallStep
---@field say string
---@field command string[]

---@class (exact) McpInstalled
---@field venv string
---@field python string
---@field tool "uv"|"venv"

---@param detail string
---@return McpProblem
local function failed(detail)
  local hint = 'Read the lines above it, then run :McpInstall again.'
  if detail:find('ensurepip', 1, true) then
    hint = 'This Python comes without ensurepip: on Debian and Ubuntu `apt install python3-venv`, or install uv.'
  elseif detail:find('Network is unreachable', 1, true) or detail:find('Temporary failure', 1, true) then
    hint = 'There was no network; run :McpInstall again when there is.'
  end
  return {
    type = 'host-failed',
    title = 'The MCP host could not be installed.',
    detail = detail,
    hint = hint,
    retryable = true,
    causes = {},
  }
end

---@return string|nil
local function base_python()
  for _, python in ipairs(PYTHONS) do
    if vim.fn.executable(python) == 1 and vim.system({ python, '-I', '-c', OLDEST }):wait().code == 0 then
      return python
    end
  end
  return nil
end

---@return McpInstallStep[]|nil
---@return McpInstalled|nil
---@return McpProblem|nil
local function plan()
  local venv = process.venv()
  local python = venv .. '/bin/python'
  if vim.fn.executable('uv') == 1 then
    local steps = {
      {
        say = 'making an environment with uv',
        command = { 'uv', '--no-config', 'venv', '--clear', '--python', '>=3.10', venv },
      },
      {
        say = 'installing the host',
        command = { 'uv', '--no-config', 'pip', 'install', '--python', python, process.repo },
      },
    }
    return steps, { venv = venv, python = python, tool = 'uv' }
  end
  local base = base_python()
  if not base then
    return nil, nil, failed('There is neither uv nor a python3 of version 3.10 or newer on PATH.')
  end
  local steps = {
    { say = 'making an environment with ' .. base, command = { base, '-I', '-m', 'venv', '--clear', venv } },
    { say = 'installing the host', command = { python, '-I', '-m', 'pip', 'install', '--quiet', process.repo } },
  }
  return steps, { venv = venv, python = python, tool = 'venv' }
end

-- Each step runs in a folder of ours and, where it is Python, isolated: the folder the editor stands in may be
-- anybody's, and a `venv.py` or a `uv.toml` in it would be run or obeyed.
---@param step McpInstallStep
---@param on_done fun(problem: McpProblem|nil)
local function run_step(step, on_done)
  local started = pcall(
    vim.system,
    step.command,
    { text = true, timeout = STEP_MS, stdin = false, cwd = vim.fs.dirname(process.venv()) },
    vim.schedule_wrap(function(done)
      if done.code == 0 then
        return on_done(nil)
      end
      local said = vim.trim((done.stdout or '') .. '\n' .. (done.stderr or ''))
      local lines = vim.split(said, '\n')
      local last = table.concat(vim.list_slice(lines, math.max(#lines - 19, 1)), '\n')
      on_done(failed(('`%s` ended with %d:\n%s'):format(table.concat(step.command, ' '), done.code, last)))
    end)
  )
  if not started then
    vim.schedule(function()
      on_done(failed(step.command[1] .. ' cannot be run.'))
    end)
  end
end

---@param say fun(text: string)
---@param on_done fun(problem: McpProblem|nil, installed: McpInstalled|nil)
function M.run(say, on_done)
  local steps, installed, problem = plan()
  if not steps then
    return on_done(problem)
  end
  vim.fn.mkdir(vim.fs.dirname(process.venv()), 'p', '0700')
  local function next_step(index)
    local step = steps[index]
    if not step then
      require('mcp_host.rpc').stop() -- the next command starts what was just installed
      return on_done(nil, installed)
    end
    say(step.say)
    run_step(step, function(fault)
      if fault then
        return on_done(fault)
      end
      next_step(index + 1)
    end)
  end
  next_step(1)
end

---@param say fun(text: string)
---@return McpProblem|nil
---@return McpInstalled|nil
function M.run_and_wait(say)
  local done, problem, installed = false, nil, nil
  M.run(say, function(fault, value)
    done, problem, installed = true, fault, value
  end)
  if not vim.wait(2 * STEP_MS, function()
    return done
  end, 100) then
    problem = failed('It was interrupted.')
  end
  return problem, installed
end

function M.interactive()
  local notes = require('mcp_host.notes')
  local origin = require('mcp_host.windows').origin()
  M.run(function(text)
    notes.say(text .. '…')
  end, function(problem, installed)
    if problem then
      return require('mcp_host.answers').show_problem(problem, origin)
    end
    local doc = vim.fs.joinpath(require('mcp_host.process').repo, 'doc')
    pcall(vim.cmd.helptags, vim.fn.fnameescape(doc)) -- a plugin manager may have done it, or the folder is not ours
    notes.say('installed into ' .. assert(installed).venv .. '. Now :Mcp, or :help mcp_host')
  end)
end

function M.headless()
  local headless = require('mcp_host.headless')
  local problem, installed = M.run_and_wait(function() end)
  if problem then
    return headless.fail(problem, 1)
  end
  headless.succeed({ require('mcp_host.ascii_json').encode({ installed = installed }) }, 0)
end

return M
