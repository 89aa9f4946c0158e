-- Verbs without a user interface: each waits, prints one JSON document on stdout or a problem on stderr, and decides
-- how the editor ends. Nothing else reaches stdout, and nothing is approved by a default.
local M = {}

local POLL_MS = 100
M.CANCEL_MS = 2000 -- what a cancelled call has to end in; the host answers at once or hangs
local FOREVER_MS = 2 ^ 31 - 1 -- every wait is bounded by the host's own deadlines, and by the host's death

local FLAGS = { ['--headless'] = true, ['-l'] = true, ['-es'] = true, ['-Es'] = true }
local DRIVEN = { ['--embed'] = true, ['--listen'] = true }

---Verbs that write a definition file, and the layer where none is named.
local WRITES = { add = { layer = 'user' }, remove = {} }

local running = 0
local ending = false

---@param flags table<string, boolean>
---@return boolean
local function was_started_with(flags)
  for _, argument in ipairs(vim.v.argv) do
    if argument == '--' then
      return false
    elseif flags[argument] then
      return true
    end
  end
  return false
end

---Whether verbs print and end the editor. One whose screen only went away is somebody's work, and so is one that others
---talk to once it is up: those are never ended.
---@return boolean
function M.is_on()
  if #vim.api.nvim_list_uis() > 0 or not was_started_with(FLAGS) then
    return false
  end
  return vim.v.vim_did_enter == 0 or not was_started_with(DRIVEN)
end

-- The editor ends by itself with 0 once the last command of its start is through, so that several verbs can follow each
-- other in one editor and a forgotten `-c qa` does not hang.
local function end_later()
  if ending then
    return
  end
  ending = true
  if vim.v.vim_did_enter == 0 then
    vim.api.nvim_create_autocmd('VimEnter', { once = true, command = 'cquit 0' })
    return
  end
  vim.schedule(function()
    ending = false
    if running == 0 then
      vim.cmd('cquit 0')
    end
  end)
end

---@param stream file*
---@param parts string[]
---@return boolean
local function print_line(stream, parts)
  for _, part in ipairs(parts) do
    if not stream:write(part) then
      return false
    end
  end
  return stream:write('\n') ~= nil and stream:flush() ~= nil
end

---@param problem McpProblem
---@param exit integer
function M.fail(problem, exit)
  print_line(io.stderr, { require('mcp_host.ascii_json').encode(problem) })
  vim.cmd('cquit ' .. exit)
end

-- What a server asked and nobody could answer: it was told no, and why is a problem beside the document.
---@param parts string[] slices of one JSON document
---@return McpProblem[]
local function unanswered(parts)
  local text = table.concat(parts)
  if not (text:find('"interactions": [', 1, true) and text:find('"problem": {', 1, true)) then
    return {} -- nearly always; a result may have megabytes
  end
  local is_read, document = pcall(vim.json.decode, text)
  local host = is_read and type(document) == 'table' and document.host
  local problems = {}
  for _, asked in ipairs(type(host) == 'table' and host.interactions or {}) do
    problems[#problems + 1] = type(asked.problem) == 'table' and asked.problem or nil
  end
  return problems
end

---@param parts string[] slices of one JSON document
---@param exit integer
function M.succeed(parts, exit)
  if not print_line(io.stdout, parts) then
    exit = 1
  end
  for _, problem in ipairs(unanswered(parts)) do
    print_line(io.stderr, { require('mcp_host.ascii_json').encode(problem) })
  end
  if exit ~= 0 then
    vim.cmd('cquit ' .. exit)
  end
  end_later()
end

---@param problem_type string
---@param title string
---@return McpProblem
local function problem_of(problem_type, title)
  local hint = 'Run it again when it may take its time.'
  return { type = problem_type, title = title, detail = '', hint = hint, retryable = true, causes = {} }
end

---@class (exact) McpWait
---@field verb string
---@field params table<string, any>
---@field reply McpReply|nil
---@field calls_before table<string, boolean>

-- `<C-c>`: the call is cancelled on the server. What still comes is what is said, and an effect without an answer is
-- never called cancelled.
---@param self McpWait
---@return McpReply
local function cancel(self)
  for _, call in ipairs(require('mcp_host.events').snapshot.calls) do
    if not self.calls_before[call] then
      require('mcp_host.rpc').request('cancel', { call = call, want = 'document' }, function() end)
    end
  end
  vim.wait(M.CANCEL_MS, function()
    return self.reply ~= nil
  end, POLL_MS)
  local late = self.reply
  if late then
    if not late.problem then
      late.exit = 9 -- it had happened by then: its document is not thrown away
    end
    return late
  end
  local problem = problem_of('cancelled', self.verb .. ' was interrupted.')
  local outcome = require('mcp_host.outcome')
  if outcome.is_effect(self.verb, self.params) then
    problem.hint, problem.retryable = '', false -- nothing here may read as an advice to do it again
    return { problem = outcome.unknown(self.params, problem), exit = outcome.UNKNOWN_EXIT }
  end
  return { problem = problem, exit = 9 }
end

-- Without a screen `<C-c>` is a plain SIGINT, which ends Neovim before 0.12 at once: caught here while a verb waits.
-- 0.12 takes the signal itself and leaves with 1, as every version does at a SIGTERM, by way of VimLeavePre, where the
-- code can still be put right.
---@param self McpWait
---@param on_interrupt fun()
---@return fun() release
local function catch_interrupt(self, on_interrupt)
  local signal = assert(vim.uv.new_signal())
  signal:start('sigint', on_interrupt)
  local rpc = require('mcp_host.rpc')
  rpc.before_stop = function()
    local reply = cancel(self)
    rpc.stop()
    if reply.problem then
      print_line(io.stderr, { require('mcp_host.ascii_json').encode(reply.problem) })
    else
      print_line(io.stdout, reply.text or {})
    end
    os.exit(reply.exit)
  end
  return function()
    signal:stop()
    signal:close()
    rpc.before_stop = nil
  end
end

---@param verb string
---@param params table<string, any>
---@return McpReply
local function ask_and_wait(verb, params)
  local is_interrupted = false
  local self = { verb = verb, params = params, calls_before = {} } ---@type McpWait
  for _, call in ipairs(require('mcp_host.events').snapshot.calls) do
    self.calls_before[call] = true
  end
  params.want = 'text'
  require('mcp_host.rpc').request(verb, params, function(answer)
    self.reply = answer
  end)
  local release = catch_interrupt(self, function()
    is_interrupted = true
  end)
  local _, why = vim.wait(FOREVER_MS, function()
    return self.reply ~= nil or is_interrupted
  end, POLL_MS)
  release()
  if self.reply then
    return self.reply
  elseif why ~= -2 and not is_interrupted then
    return { problem = problem_of('request-timed-out', 'The MCP host did not answer.'), exit = 9 }
  end
  return cancel(self)
end

---@param verb string
---@param params table<string, any>
---@param bang boolean
function M.run(verb, params, bang)
  if verb == 'install' then
    return require('mcp_host.install').headless()
  end
  if verb == 'exec' then
    params.accept, params.interactive = bang, false
  elseif verb == 'cancel' and not params.call then
    return M.fail(require('mcp_host.notes').usage(':McpCancel needs a call', 'Write :McpCancel {call}'), 2)
  elseif verb == 'add' and not params.target then
    local hint = 'Write :McpAdd {alias} {target} [json]; without a user interface there is no template to fill in'
    return M.fail(require('mcp_host.notes').usage(':McpAdd needs an alias and a target', hint), 2)
  end
  local unsaved = WRITES[verb] and require('mcp_host.definition_files').objection(params.layer or WRITES[verb].layer)
  if unsaved then
    return M.fail(unsaved, 2)
  end
  running = running + 1
  local reply = ask_and_wait(verb, params)
  running = running - 1
  if reply.problem then
    return M.fail(reply.problem, reply.exit)
  end
  M.succeed(reply.text or {}, reply.exit)
end

return M
