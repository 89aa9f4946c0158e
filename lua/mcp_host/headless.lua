-- Verbs without a user interface: each waits, prints one JSON document on stdout or a problem on stderr, and decides
-- how the editor ends. Nothing else reaches stdout, and nothing is approved by a default.
local M = {}

local POLL_MS = 100
local CANCEL_MS = 2000 -- what a cancelled call has to end in; the host answers at once or hangs
local FOREVER_MS = 2 ^ 31 - 1 -- every wait is bounded by the host's own deadlines, and by the host's death

local running = 0
local ending = false

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
  print_line(io.stderr, { vim.json.encode(problem) })
  vim.cmd('cquit ' .. exit)
end

---@param parts string[] slices of one JSON document
---@param exit integer
function M.succeed(parts, exit)
  if not print_line(io.stdout, parts) then
    exit = 1
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

-- Without a screen `<C-c>` is a plain SIGINT, which ends Neovim before 0.12 at once: caught here while a verb waits.
-- 0.12 takes the signal itself and leaves with 1, by way of VimLeavePre, where the code can still be put right.
---@param on_interrupt fun()
---@return fun() release
local function catch_interrupt(on_interrupt)
  local signal = assert(vim.uv.new_signal())
  signal:start('sigint', on_interrupt)
  local leaving = vim.api.nvim_create_autocmd('VimLeavePre', {
    callback = function()
      if vim.v.dying > 0 then
        require('mcp_host.rpc').stop()
        print_line(io.stderr, { vim.json.encode(problem_of('cancelled', 'It was interrupted.')) })
        os.exit(9)
      end
    end,
  })
  return function()
    signal:stop()
    signal:close()
    pcall(vim.api.nvim_del_autocmd, leaving)
  end
end

-- `<C-c>`: the call is cancelled on the server and the editor ends with 9, whatever still comes.
---@param calls_before table<string, boolean>
---@param is_done fun(): boolean
local function cancel(calls_before, is_done)
  for _, call in ipairs(require('mcp_host.events').snapshot.calls) do
    if not calls_before[call] then
      require('mcp_host.rpc').request('cancel', { call = call, want = 'document' }, function() end)
    end
  end
  vim.wait(CANCEL_MS, is_done, POLL_MS)
end

---@param verb string
---@param params table<string, any>
---@return McpReply
local function ask_and_wait(verb, params)
  local reply, is_interrupted = nil, false ---@type McpReply|nil, boolean
  local calls_before = {}
  for _, call in ipairs(require('mcp_host.events').snapshot.calls) do
    calls_before[call] = true
  end
  local function is_done()
    return reply ~= nil
  end
  params.want = 'text'
  require('mcp_host.rpc').request(verb, params, function(answer)
    reply = answer
  end)
  local release = catch_interrupt(function()
    is_interrupted = true
  end)
  local _, why = vim.wait(FOREVER_MS, function()
    return is_done() or is_interrupted
  end, POLL_MS)
  release()
  if reply then
    return reply
  elseif why ~= -2 and not is_interrupted then
    return { problem = problem_of('request-timed-out', 'The MCP host did not answer.'), exit = 9 }
  end
  cancel(calls_before, is_done)
  local late = reply --[[@as McpReply|nil]]
  if late and not late.problem then
    late.exit = 9 -- it had happened by then: its document is not thrown away
    return late
  end
  local problem = late and late.problem or problem_of('cancelled', verb .. ' was interrupted.')
  return { problem = problem, exit = 9 }
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
