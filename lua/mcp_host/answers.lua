-- What becomes of a call's answer in an editor with a person: a result or a proposal, shown where `windows` says.
local buffers = require('mcp_host.buffers')
local names = require('mcp_host.names')
local notes = require('mcp_host.notes')
local windows = require('mcp_host.windows')

local M = {}

local RUNNING_AFTER_MS = 300

---@param reply McpReply
---@param member "call"|"receipt"
---@return string|nil
local function identifier(reply, member)
  local named = type(reply.host) == 'table' and reply.host[member]
  return type(named) == 'string' and named or nil
end

---@param reply McpReply
---@param subject string used where the answer does not name its tool
local function say_result(reply, subject)
  local host = type(reply.host) == 'table' and reply.host or {}
  if type(host.alias) == 'string' and type(host.tool) == 'string' then
    subject = host.alias .. '.' .. host.tool
  end
  if reply.exit == 0 then
    notes.say(subject .. ': done')
  else
    notes.say(subject .. ': the tool answered with an error', 'WarningMsg')
  end
end

---@param problem McpProblem
---@param origin McpOrigin
---@return integer buf
function M.show_problem(problem, origin)
  local buf = buffers.unnamed()
  vim.bo[buf].bufhidden = 'wipe'
  buffers.writer(buf).problem(problem)
  windows.show_result(buf, origin)
  notes.say_problem(problem)
  return buf
end

---@param buf integer
---@param reply McpReply
---@param origin McpOrigin
---@param subject string
local function show_proposal(buf, reply, origin, subject)
  local receipt = identifier(reply, 'receipt')
  if receipt then
    buffers.name(buf, names.proposal(receipt))
  end
  local win, entered = windows.show_proposal(buf, origin)
  require('mcp_host.proposal').draw(buf)
  if not win then
    notes.say(subject .. ' waits for review: :McpProposals', 'WarningMsg')
  elseif not entered then
    notes.say(subject .. ' waits for review in the window below', 'WarningMsg')
  end
end

---@param subject string
---@return fun() over
local function say_running(subject)
  local over = false
  vim.defer_fn(function()
    local snapshot = require('mcp_host.events').snapshot
    if not over and not next(snapshot.interactions) then -- else it waits for the person
      local runs = #snapshot.calls > 0
      notes.say(subject .. (runs and ': running… (:McpCancel stops it)' or ': waiting for the server…'))
    end
  end, RUNNING_AFTER_MS)
  return function()
    over = true
  end
end

---@class (exact) McpAsk
---@field verb string
---@field params table<string, any>
---@field origin McpOrigin
---@field subject string what the notes call it
---@field on_problem? fun(problem: McpProblem)
---@field place? fun(buf: integer, receipt: string|nil): boolean shows a result; false: it was not shown

---Send a verb that answers with a result or a proposal, and show what comes.
---@param ask McpAsk
function M.ask(ask)
  local buf = buffers.unnamed()
  local writer = buffers.writer(buf)
  local over = say_running(ask.subject)
  local proposed = require('mcp_host.events').snapshot.proposed[ask.params.receipt or ''] or {}
  local alias, name = ask.params.alias or proposed.alias, ask.params.tool or proposed.tool
  local is_answered = require('mcp_host.origins').begin(ask.origin, alias, name)
  ask.params.want = 'view'
  require('mcp_host.rpc').request(ask.verb, ask.params, function(reply)
    over()
    is_answered()
    if reply.problem then
      buffers.discard(buf)
      if ask.on_problem then
        return ask.on_problem(reply.problem)
      end
      return M.show_problem(reply.problem, ask.origin)
    end
    if reply.kind == 'proposal' then
      show_proposal(buf, reply, ask.origin, ask.subject)
      return writer.finish(reply.view, reply.host)
    end
    local call = identifier(reply, 'call')
    if call then
      buffers.name(buf, names.result(call))
    end
    if not (ask.place and ask.place(buf, identifier(reply, 'receipt'))) then
      windows.show_result(buf, ask.origin)
    end
    writer.finish(reply.view, reply.host)
    say_result(reply, ask.subject)
  end, { on_lines = writer.lines })
end

---@param receipt string|nil nil: the only pending one
---@param origin McpOrigin
---@param answers? string a file of answers to what the server may ask
function M.accept(receipt, origin, answers)
  local proposal = require('mcp_host.proposal')
  if receipt then
    proposal.executing(receipt)
  end
  M.ask({
    verb = 'accept',
    params = { receipt = receipt, answers = answers },
    origin = origin,
    subject = 'proposal',
    on_problem = function(problem)
      if receipt and proposal.find(receipt) then
        proposal.refused(receipt, problem)
      else
        M.show_problem(problem, origin)
      end
    end,
    place = function(buf, executed)
      return executed ~= nil and proposal.replace(executed, buf)
    end,
  })
end

return M
