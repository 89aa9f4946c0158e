-- The trust buffer: `:write` approves exactly the text of the project's file that is shown; leaving it says nothing.
-- What is approved is the digest that came with that text, so a file that has changed meanwhile stays as it was.
local notes = require('mcp_host.notes')
local review = require('mcp_host.review')

local M = {}

M.LOOK_MS = review.LOOK_MS

-- Constants only: a winbar evaluates what it is given.
local WINBAR = {
  waiting = ' %#McpEffectHost#NOT APPROVED%* :write approves exactly this text, :quit leaves it, g? keys',
  approving = ' %#McpMuted#APPROVING…%*',
  approved = ' %#McpOk#APPROVED%* :McpUntrust takes it back, :quit leaves it, g? keys',
  outdated = ' %#McpProblem#CHANGED SINCE%* R shows what it says now, :quit leaves it, g? keys',
  nothing = ' %#McpMuted#NOTHING TO APPROVE%* :quit leaves it, g? keys',
}

local PHASES = { untrusted = 'waiting', changed = 'waiting', ignored = 'waiting', trusted = 'approved' }

---@class (exact) McpTrustState
---@field phase "waiting"|"approving"|"approved"|"outdated"|"nothing"
---@field digest string|nil of the text that is shown

local states = {} ---@type table<integer, McpTrustState>

---@param buf integer
function M.draw(buf)
  local state = states[buf]
  for _, win in ipairs(state and vim.fn.win_findbuf(buf) or {}) do
    vim.api.nvim_set_option_value('winbar', WINBAR[state.phase], { scope = 'local', win = win })
  end
end

-- While the yes is on its way the buffer counts as changed: neither `:wq` nor `:qall` leaves before the answer.
---@param buf integer
---@param phase "waiting"|"approving"|"approved"|"outdated"|"nothing"
local function set_phase(buf, phase)
  if states[buf] and vim.api.nvim_buf_is_valid(buf) then
    states[buf].phase = phase
    vim.bo[buf].modified = phase == 'approving'
    M.draw(buf)
  end
end

---The buffer holds the whole text now.
---@param buf integer
---@param host table `{ digest, state }` of the text that is shown
function M.drawn(buf, host)
  local state = states[buf]
  if state then
    state.digest = type(host.digest) == 'string' and host.digest ~= '' and host.digest or nil
    review.drawn(buf)
    local phase = state.digest and PHASES[host.state] or 'nothing'
    set_phase(buf, state.phase == 'approving' and 'approving' or phase)
  end
end

---The project's file says something else by now. Whoever reads a text that waits keeps it, and cannot approve it.
---@param digest string
function M.on_new_text(digest)
  for buf, state in pairs(states) do
    if state.digest ~= digest and state.phase == 'waiting' and review.is_drawn(buf) then
      set_phase(buf, 'outdated')
    elseif state.digest == digest and state.phase == 'outdated' then
      set_phase(buf, 'waiting') -- the text was put back
    elseif state.digest ~= digest and state.phase ~= 'outdated' then
      require('mcp_host.buffers').reload(buf)
    end
  end
end

-- The file may be back at a text that was approved, or gone: no event tells of that.
---@param buf integer
local function leave_what_waits_no_more(buf)
  require('mcp_host.rpc').request('trust', { want = 'document' }, function(reply)
    local trust = (reply.document or {}).trust
    if trust and states[buf] and PHASES[trust.state] ~= 'waiting' then
      require('mcp_host.buffers').reload(buf)
    end
  end)
end

---What counts is other than it was: a text that waits for nothing is shown as it is now.
function M.on_definitions()
  for buf, state in pairs(states) do
    if state.phase == 'approved' or state.phase == 'nothing' then
      require('mcp_host.buffers').reload(buf)
    elseif state.phase == 'waiting' or state.phase == 'outdated' then
      leave_what_waits_no_more(buf)
    end
  end
end

---@param buf integer
---@param state McpTrustState
---@return string|nil why a `:write` approves nothing now
local function objection(buf, state)
  local is_drawn = review.is_drawn(buf)
  if state.phase == 'approving' then
    return 'it is being approved.'
  elseif state.phase == 'outdated' then
    return 'the file has changed: R shows it anew. Nothing was approved.'
  elseif is_drawn and state.phase == 'approved' then
    return 'this text is approved already.'
  elseif (is_drawn and state.phase == 'nothing') or (not is_drawn and vim.bo[buf].filetype == 'mcp-problem') then
    return 'there is nothing to approve here.'
  end
  return review.objection(buf)
end

---@param document table
---@return string
function M.file_of(document)
  local trust = document.trust or {}
  return type(trust.file) == 'string' and vim.fn.fnamemodify(trust.file, ':~:.') or "the project's file"
end

---@param buf integer
function M.approve(buf)
  local state = states[buf]
  if not state then
    return
  end
  local why = objection(buf, state)
  if why then
    return notes.say(why, 'WarningMsg')
  end
  set_phase(buf, 'approving')
  local origin = require('mcp_host.windows').origin()
  local params = { digest = state.digest, want = 'document' }
  require('mcp_host.rpc').request('trust', params, function(reply)
    set_phase(buf, 'waiting')
    if states[buf] then
      require('mcp_host.buffers').reload(buf)
    end
    if reply.problem then
      return require('mcp_host.answers').show_problem(reply.problem, origin)
    end
    notes.say('approved: ' .. M.file_of(reply.document or {}))
  end)
end

---@param buf integer
local function on_write(buf)
  M.approve(buf)
  review.stay(buf, function()
    return states[buf] ~= nil and (states[buf].phase == 'waiting' or states[buf].phase == 'outdated')
  end)
end

---@param buf integer
---@param address McpAddress
function M.attach(buf, address)
  if states[buf] then
    review.reset(buf)
    return M.draw(buf)
  end
  states[buf] = { phase = 'nothing', digest = nil }
  review.attach(buf, {
    name = address.name,
    on_write = on_write,
    nothing = 'Nothing was approved.',
    changed = 'this text was changed: :edit! shows the file. Not approved.',
    unseen = 'only just shown: look, then :write again. Nothing was approved.',
    look_ms = function()
      return M.LOOK_MS
    end,
    draw = M.draw,
    gone = function()
      states[buf] = nil
    end,
  })
  vim.keymap.set('n', '<Plug>(McpTrustApprove)', function()
    M.approve(buf)
  end, { buffer = buf, silent = true })
end

return M
