-- The proposal buffer: `:write` executes what is shown, once; leaving it discards it; `:write other` saves a copy only.
-- What is executed is the receipt, never text read back from the buffer. So a `:write` counts only where that text was
-- there to be read, as `review.lua` has it.
local notes = require('mcp_host.notes')
local review = require('mcp_host.review')

local M = {}

M.LOOK_MS = review.LOOK_MS

-- Constants only: a winbar evaluates what it is given.
local WINBAR = {
  pending = ' %#McpEffectHost#PROPOSAL%* :write runs this once, :quit discards it, g? keys',
  executing = ' %#McpMuted#EXECUTING… the result opens here%*',
  closed = ' %#McpMuted#CLOSED this proposal can no longer run%*',
}

---@class (exact) McpProposalState
---@field receipt string
---@field name string
---@field phase "pending"|"executing"|"closed"
---@field said integer lines at the top that tell of a problem

local proposals = {} ---@type table<integer, McpProposalState>
local namespace = vim.api.nvim_create_namespace('mcp_host_proposal')

---@param buf integer
function M.draw(buf)
  local state = proposals[buf]
  for _, win in ipairs(state and vim.fn.win_findbuf(buf) or {}) do
    vim.api.nvim_set_option_value('winbar', WINBAR[state.phase], { scope = 'local', win = win })
  end
end

---The buffer holds the whole text of its proposal now.
---@param buf integer
function M.drawn(buf)
  local state = proposals[buf]
  if state then
    review.drawn(buf)
    vim.bo[buf].modified = state.phase == 'executing'
  end
end

-- While it executes the buffer counts as changed: neither `:wq` nor `:qall` leaves before the answer, short of a `!`.
---@param buf integer
---@param phase "pending"|"executing"|"closed"
local function set_phase(buf, phase)
  if proposals[buf] and vim.api.nvim_buf_is_valid(buf) then
    if phase == 'executing' or proposals[buf].phase == 'executing' then
      vim.bo[buf].modified = phase == 'executing'
    end
    proposals[buf].phase = phase
    M.draw(buf)
  end
end

-- Above the text, which stays readable; an earlier problem gives way.
---@param buf integer
---@param problem McpProblem
local function show_problem(buf, problem)
  if not vim.api.nvim_buf_is_valid(buf) then
    return notes.say_problem(problem)
  end
  local lines, marks = notes.problem_lines(problem)
  lines[#lines + 1] = ''
  local said = proposals[buf].said
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, said, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  proposals[buf].said = #lines
  review.amended(buf)
  require('mcp_host.buffers').shift_items(buf, #lines - said)
  for _, mark in ipairs(marks) do
    vim.api.nvim_buf_set_extmark(buf, namespace, mark[1], mark[2], { end_col = mark[3], hl_group = mark[4] })
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_set_cursor(win, { 1, 0 })
  end
  notes.say_problem(problem)
end

---@param receipt string
---@return integer|nil
function M.find(receipt)
  for buf, state in pairs(proposals) do
    if state.receipt == receipt and vim.api.nvim_buf_is_valid(buf) then
      return buf
    end
  end
  return nil
end

---The receipt was accepted elsewhere or here: the buffer waits for the result that takes its place.
---@param receipt string
function M.executing(receipt)
  local buf = M.find(receipt)
  if buf then
    set_phase(buf, 'executing')
  end
end

---@param receipt string
---@param problem McpProblem
function M.refused(receipt, problem)
  local buf = M.find(receipt)
  if buf then
    -- The host tells of a receipt before it answers: one that is still pending may be tried again. A host that has
    -- ended told nothing any more.
    local known = require('mcp_host.events').snapshot.receipts[receipt]
    local is_open = known == 'pending' and problem.type ~= 'outcome-unknown' and problem.type ~= 'host-failed'
    set_phase(buf, is_open and 'pending' or 'closed')
    show_problem(buf, problem)
  else
    notes.say_problem(problem)
  end
end

---Put the result where the proposal stood.
---@param receipt string
---@param result integer buffer
---@return boolean shown false: the proposal is in no window any more
function M.replace(receipt, result)
  local buf = M.find(receipt)
  local wins = buf and vim.fn.win_findbuf(buf) or {}
  if buf then
    vim.bo[buf].modified = false -- its answer is here
  end
  for _, win in ipairs(wins) do
    if pcall(vim.api.nvim_win_set_buf, win, result) then
      require('mcp_host.windows').mark_result(win)
    end
  end
  return #wins > 0
end

---@param receipt string
---@param state string
function M.on_receipt(receipt, state)
  local buf = M.find(receipt)
  if not buf then
    return
  end
  if state ~= 'pending' then -- one that ended here gives way to its result at once; elsewhere it stays to be seen
    set_phase(buf, state == 'executing' and 'executing' or 'closed')
  end
end

---The receipts ended with the host.
function M.host_ended()
  for buf, state in pairs(proposals) do
    if state.phase ~= 'closed' then
      set_phase(buf, 'closed')
    end
  end
end

---@param buf integer
---@param state McpProposalState
---@return string|nil why a `:write` executes nothing now
local function objection(buf, state)
  if state.phase ~= 'pending' then
    return 'this proposal was decided already; nothing was sent.'
  elseif not review.is_drawn(buf) and vim.bo[buf].filetype == 'mcp-problem' then
    return 'there is no proposal to run here; nothing was sent.'
  end
  return review.objection(buf)
end

---@param buf integer
function M.accept(buf)
  local state = proposals[buf]
  if not state then
    return
  end
  local why = objection(buf, state)
  if why then
    return notes.say(why, 'WarningMsg')
  end
  set_phase(buf, 'executing')
  require('mcp_host.answers').accept(state.receipt, require('mcp_host.windows').origin())
end

---@param buf integer
function M.reject(buf)
  local state = proposals[buf]
  if state and state.phase == 'executing' then
    return notes.say('it is being executed; :McpCancel cancels the call.', 'WarningMsg')
  elseif state then
    vim.api.nvim_buf_delete(buf, { force = true }) -- wiping it discards it
  end
end

---@param state McpProposalState
local function discard(state)
  if state.phase ~= 'pending' or vim.v.exiting ~= vim.NIL or not require('mcp_host.rpc').peer() then
    return
  end
  require('mcp_host.rpc').request('reject', { receipt = state.receipt, want = 'document' }, function(reply)
    if reply.problem then
      notes.say_problem(reply.problem)
    else
      notes.say('proposal discarded; nothing was sent.')
    end
  end)
end

-- A `:wq` whose `:write` executed nothing must not go on and discard.
---@param buf integer
local function on_write(buf)
  M.accept(buf)
  review.stay(buf, function()
    return proposals[buf] ~= nil and proposals[buf].phase == 'pending'
  end)
end

---@param buf integer
local function create_autocmds(buf)
  review.attach(buf, {
    name = proposals[buf].name,
    on_write = on_write,
    nothing = 'Nothing was executed.',
    changed = 'this text was changed: :edit! shows what runs. Nothing sent.',
    unseen = 'only just shown: look, then :write again. Nothing was sent.',
    look_ms = function()
      return M.LOOK_MS
    end,
    draw = M.draw,
    gone = function()
      local state = proposals[buf]
      proposals[buf] = nil
      if state then
        vim.schedule(function()
          discard(state)
        end)
      end
    end,
  })
end

---A session brought the name back: the receipt ended with the editor it was in.
---@param buf integer
---@return McpProblem
function M.restored(buf)
  set_phase(buf, 'closed')
  return {
    type = 'receipt-unknown',
    title = 'This proposal is gone',
    detail = 'A session brought its name back. Receipts are kept in memory and end with their editor.',
    hint = 'Give its command again to propose it anew; :McpProposals shows what waits.',
    retryable = false,
    causes = {},
  }
end

---@param buf integer
---@param address McpAddress
function M.attach(buf, address)
  if proposals[buf] then
    proposals[buf].said = 0 -- it is read again, and what was said above the text goes with the old lines
    review.reset(buf)
    return M.draw(buf)
  end
  local receipt = address.params.receipt
  local known = require('mcp_host.events').snapshot.receipts[receipt] or 'pending'
  local phase = known == 'pending' and 'pending' or 'closed'
  proposals[buf] = { receipt = receipt, name = address.name, phase = phase, said = 0 }
  create_autocmds(buf)
  for name, act in pairs({ ['<Plug>(McpProposalAccept)'] = M.accept, ['<Plug>(McpProposalReject)'] = M.reject }) do
    vim.keymap.set('n', name, function()
      act(buf)
    end, { buffer = buf, silent = true })
  end
  M.draw(buf)
end

return M
