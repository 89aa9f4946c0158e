-- The one door to Python: starts the host on first use, sends verbs, hands replies and events to whoever waits.
-- Everything is a notification with an id: a second synchronous request that is answered out of order would close the
-- channel for good. The only request is the stop at exit.
local process = require('mcp_host.process')

local M = {}

local START_MS = 20000 -- a Python that starts from a cold disk answers within a few seconds
local STOP_TERM_MS = 3000 -- the host bounds its own stop under this; past it, it hangs
local STOP_KILL_MS = 4000
local WATCH_MS = 250

---Called once, before the host is stopped.
M.before_stop = nil ---@type fun()|nil

local peer = nil ---@type McpPeer|nil
local pending = {} ---@type table<integer, McpPending>
local last_id = 0
local watch = nil ---@type uv.uv_timer_t|nil

---@param fn function
local function guarded(fn, ...)
  local ok, message = xpcall(fn, debug.traceback, ...)
  if not ok then
    vim.schedule(function()
      vim.api.nvim_echo({ { 'mcp-host.nvim: ' .. message, 'ErrorMsg' } }, true, {})
    end)
  end
end

---@param waiting McpPending
---@param reply McpReply
local function finish(waiting, reply)
  guarded(waiting.on_reply, reply)
end

-- A host that never answered was asked nothing; of one that did, an effect under way may have happened.
---@param problem McpProblem
---@param has_answered boolean
local function fail_all(problem, has_answered)
  local failed = pending
  pending = {}
  local outcome = require('mcp_host.outcome')
  for _, waiting in vim.spairs(failed) do
    local reply = { problem = problem, exit = 1 }
    if has_answered and outcome.is_effect(waiting.verb, waiting.params) then
      reply = { problem = outcome.unknown(waiting.params, problem), exit = outcome.UNKNOWN_EXIT }
    end
    finish(waiting, reply)
  end
end

---@param ended McpPeer
---@param how string
local function on_end(ended, how)
  if peer ~= ended then
    return
  end
  peer = nil
  if watch then
    watch:stop()
  end
  fail_all(process.ended(ended.tail(), how), ended.has_answered == true)
  require('mcp_host.events').host_ended()
end

-- The rplugin loader keeps the job's callbacks to itself, so its end has to be looked for.
local function watch_peer()
  watch = watch or assert(vim.uv.new_timer())
  watch:start(
    WATCH_MS,
    WATCH_MS,
    vim.schedule_wrap(function()
      if peer and not process.is_alive(peer) then
        on_end(peer, 'ended')
      end
    end)
  )
end

---@param verb string
---@param params table
---@param waiting McpPending
---@return integer id
local function send(verb, params, waiting)
  last_id = last_id + 1
  pending[last_id] = waiting
  if next(params) == nil then
    params = vim.empty_dict()
  end
  local current = assert(peer)
  if not pcall(vim.rpcnotify, current.channel, 'mcp_host', last_id, verb, params) then
    vim.schedule(function()
      on_end(current, 'closed its channel')
    end)
  end
  return last_id
end

---@param current McpPeer
local function give_up(current)
  if peer == current then
    pcall(vim.fn.jobstop, current.channel)
    on_end(current, 'did not answer')
  end
end

-- A window's or tabpage's own folder says nothing about where the person works.
local function follow_folder()
  vim.api.nvim_create_autocmd('DirChanged', {
    group = vim.api.nvim_create_augroup('mcp_host_folder', { clear = true }),
    pattern = 'global',
    desc = 'Tell the MCP host which folder the editor works in',
    callback = function()
      if peer and process.is_alive(peer) then
        M.request('workspace', { cwd = vim.v.event.cwd }, function(reply)
          if reply.problem and not require('mcp_host.headless').is_on() then
            require('mcp_host.notes').say_problem(reply.problem)
          end
        end)
      end
    end,
  })
end

local function introduce()
  local current = assert(peer)
  local state = vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'mcp_host')
  local message = require('mcp_host.offers').start_members()
  message.config_file = process.config_file()
  message.state_dir = state
  message.log_dir = process.log_dir()
  message.cwd = vim.uv.cwd() or vim.fn.getcwd()
  message.headless = require('mcp_host.headless').is_on()
  local seen = require('mcp_host.events').questions_seen()
  message.questions_seen = seen > 0 and seen or nil
  send('start', message, {
    verb = 'start',
    params = {},
    text = {},
    on_reply = function(reply)
      current.has_answered = not reply.problem
      if reply.problem and peer then
        require('mcp_host.events').host_refused(reply.problem)
      end
    end,
  })
  vim.defer_fn(function()
    if current.has_answered == nil then
      give_up(current)
    end
  end, START_MS)
  vim.api.nvim_create_autocmd('VimLeavePre', {
    group = vim.api.nvim_create_augroup('mcp_host_stop', { clear = true }),
    desc = 'Stop the MCP host and its servers',
    callback = M.stop,
  })
  follow_folder()
  if not require('mcp_host.headless').is_on() then
    require('mcp_host.events').learn()
  end
end

---@return McpProblem|nil
local function start()
  if peer and process.is_alive(peer) then
    return nil
  end
  if peer then
    on_end(peer, 'ended')
  end
  if vim.v.exiting ~= vim.NIL then
    return process.ended({}, 'was stopped') -- one started now would hold the exit up
  end
  local started, problem
  started, problem = process.start(function(code)
    if started then
      on_end(started, 'ended with exit code ' .. code)
    end
  end)
  if not started then
    return problem
  end
  peer = started
  if vim.g.mcp_host_loader == 'rplugin' then
    watch_peer()
  end
  introduce()
  return nil
end

---Ask the host. `on_reply` is always called once, later.
---@param verb string
---@param params table<string, any>
---@param on_reply fun(reply: McpReply)
---@param opts? { on_lines?: fun(lines: string[]) }
---@return integer|nil id nil: the host could not be started
function M.request(verb, params, on_reply, opts)
  if verb == 'doctor' then -- the one thing that it looks at and that only the editor knows
    params = vim.tbl_extend('force', params, { resolver = require('mcp_host.questions').has_resolver() })
  end
  local waiting = {
    verb = verb,
    params = params,
    on_reply = on_reply,
    on_lines = opts and opts.on_lines,
    want = params.want,
    text = {},
  }
  local problem = start()
  if problem then
    vim.schedule(function()
      finish(waiting, { problem = problem, exit = 1 })
    end)
    return nil
  end
  return send(verb, params, waiting)
end

---@param message string
---@return McpProblem
local function unreadable(message)
  return {
    type = 'internal',
    title = "The host's answer cannot be read",
    detail = ('%s\nThe log is %s/host.log.'):format(message, process.log_dir()),
    hint = 'Please report it with the end of that log.',
    retryable = false,
    causes = {},
  }
end

---@param message table
local function receive_final(message)
  local waiting = pending[message.reply]
  pending[message.reply] = nil
  if message.problem then
    finish(waiting, { problem = message.problem, exit = message.exit or 1 })
    return
  end
  local value = message.value or {}
  local reply = {
    exit = value.exit or 0,
    kind = value.kind,
    document = value.document,
    view = value.view,
    host = value.host,
    text = waiting.text,
  }
  if waiting.want == 'document' and reply.document == nil and #waiting.text > 0 then
    local is_read, document = pcall(vim.json.decode, table.concat(waiting.text))
    if not is_read then
      return finish(waiting, { problem = unreadable(tostring(document)), exit = 1 })
    end
    reply.document = document
  end
  finish(waiting, reply)
end

-- The answer goes to the host that asked and is forgotten: it holds secrets, and no reply is waited for.
---@param message { question: integer, names: string[], alias: string }
local function receive_question(message)
  local asking = peer
  require('mcp_host.questions').receive(message.question, message.names or {}, function(params)
    if asking and peer == asking then
      last_id = last_id + 1
      pcall(vim.rpcnotify, asking.channel, 'mcp_host', last_id, 'resolved', params)
    end
  end)
end

---@param message table
local function receive_one(message)
  if message.event then
    return require('mcp_host.events').receive(message.event, message.data or {})
  elseif message.question then
    return receive_question(message)
  end
  local waiting = pending[message.reply]
  if not waiting then
    return
  end
  if message.lines then
    if waiting.on_lines then
      waiting.on_lines(message.lines)
    end
  elseif message.text then
    waiting.text[#waiting.text + 1] = message.text
  else
    receive_final(message)
  end
end

---Called by the host only.
---@param messages table[]
function M.receive(messages)
  for _, message in ipairs(messages) do
    guarded(receive_one, message)
  end
end

---Start the host ahead of the first verb; says nothing when it cannot.
function M.warm()
  if not peer then
    start()
  end
end

---@return McpPeer|nil
function M.peer()
  return peer
end

---Stop the host: used when the editor leaves, and by an install that replaces it.
---Bounded twice: the host answers in time by itself, and a host that hangs is ended by a timer, which still runs while
---the request blocks.
function M.stop()
  local before = M.before_stop
  M.before_stop = nil
  if before then
    before()
  end
  local stopping = peer
  if not stopping then
    return
  end
  peer = nil
  local timer = assert(vim.uv.new_timer())
  local signal = 'sigterm'
  timer:start(STOP_TERM_MS, STOP_KILL_MS - STOP_TERM_MS, function()
    if stopping.pid then
      vim.uv.kill(stopping.pid, signal)
    end
    signal = 'sigkill'
  end)
  pcall(vim.rpcrequest, stopping.channel, 'mcp_host_stop')
  timer:stop()
  timer:close()
  if vim.v.exiting == vim.NIL then
    fail_all(process.ended({}, 'was stopped'), stopping.has_answered == true)
    require('mcp_host.events').host_ended()
  end
end

return M
