-- The buffer of one thing that a server asks: a form in TOML to fill in, or an address to go to. `:write` answers,
-- leaving it cancels, and nothing is sent before. What is typed is the person's: a refused answer stays there to be
-- mended. A `:write` counts only where the text was there to be read, as `review.lua` has it.
local faults = require('mcp_host.answer_faults')
local fields = require('mcp_host.answer_fields')
local notes = require('mcp_host.notes')
local review = require('mcp_host.review')

local M = {}

M.LOOK_MS = review.LOOK_MS
M.OVER = 'this question is over; nothing was sent.'

local GLOBAL_UNDOLEVELS = -123456 -- what a buffer-local 'undolevels' is that says nothing

---@class (exact) McpInteractionState
---@field id string
---@field subject string what notes call it
---@field kinds table<string, true>
---@field phase McpInteractionPhase
---@field drawn string|nil the text as it came; nil until it is there
---@field own table<integer, true> windows that were opened for it

local states = {} ---@type table<integer, McpInteractionState>

---@param buf integer
local function draw(buf)
  local state = states[buf]
  if state then
    require('mcp_host.interaction_bars').draw(buf, state.phase, state.kinds)
  end
end

---@param buf integer
---@return boolean
local function is_form(buf)
  return vim.bo[buf].filetype == 'toml' -- what cannot be filled in comes as a page of ours
end

---@param buf integer
---@return boolean
local function is_filled_in(buf)
  return states[buf].drawn ~= nil and review.text_of(buf) ~= states[buf].drawn
end

-- While the answer is on its way neither `:wq` nor `:qall` leaves it. What was typed is not left unsent without a `!`.
---@param buf integer
---@param phase McpInteractionPhase
local function set_phase(buf, phase)
  local state = states[buf]
  if state and vim.api.nvim_buf_is_valid(buf) then
    state.phase = phase
    vim.bo[buf].modifiable = phase ~= 'sending' and state.drawn ~= nil and is_form(buf)
    vim.bo[buf].modified = phase == 'sending' or (phase ~= 'answered' and is_filled_in(buf))
    draw(buf)
  end
end

---@param id string
---@return integer|nil
local function find(id)
  for buf, state in pairs(states) do
    if state.id == id and vim.api.nvim_buf_is_valid(buf) then
      return buf
    end
  end
  return nil
end

---@param buf integer
---@return string|nil id of the interaction that this buffer shows
function M.id_of(buf)
  return states[buf] and states[buf].id
end

---@param buf integer
---@return boolean
function M.is_over(buf)
  return states[buf] == nil or (states[buf].phase ~= 'open' and states[buf].phase ~= 'sending')
end

---@param buf integer
---@param win integer that was opened for it
function M.opened(buf, win)
  if states[buf] then
    states[buf].own[win] = true
    draw(buf)
  end
end

---Another question comes under its name: it goes, or keeps what was typed under another one.
---@param buf integer
function M.give_way(buf)
  local buffers = require('mcp_host.buffers')
  if not vim.bo[buf].modified then
    return buffers.discard(buf)
  end
  local name = vim.api.nvim_buf_get_name(buf)
  vim.api.nvim_buf_set_name(buf, ('%s/%d'):format(name, buf))
  if states[buf] then
    states[buf].id = ''
  end
  local left = buffers.find(name) -- the editor keeps the old name as a buffer of its own
  if left then
    buffers.discard(left)
  end
end

-- The windows that were opened for it go, the others show the queue again. Whoever stands in one of the first goes back
-- where they came from, and not into whatever stands beside it.
---@param buf integer
local function close(buf)
  local state = states[buf]
  if not state or not vim.api.nvim_buf_is_valid(buf) then
    return
  end
  vim.bo[buf].modified = false
  if vim.api.nvim_get_current_buf() == buf and state.own[vim.api.nvim_get_current_win()] then
    require('mcp_host.way_back').leave(buf)
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local is_gone = state.own[win] and pcall(vim.api.nvim_win_close, win, true)
    if not is_gone then
      pcall(vim.api.nvim_win_set_buf, win, require('mcp_host.buffers').open('mcp://interactions'))
    end
  end
  require('mcp_host.buffers').discard(buf)
end

-- Nobody typed here, or stands here: then it need not stay to say that it is over.
---@param buf integer
---@return boolean
local function is_untouched(buf)
  return not is_filled_in(buf) and vim.api.nvim_get_current_buf() ~= buf
end

---The host says what became of it, whoever decided.
---@param id string
---@param state "answered"|"declined"|"cancelled"|"withdrawn"
function M.on_state(id, state)
  local buf = find(id)
  if not buf or states[buf].phase == 'sending' then
    return -- the answer to what was sent says it
  end
  set_phase(buf, state)
  if is_untouched(buf) then
    close(buf)
  end
end

---The questions ended with the host. One that is still being sent has not left yet: what has, has got its reply.
function M.host_ended()
  for buf, state in pairs(states) do
    if state.phase == 'open' or state.phase == 'sending' then
      set_phase(buf, 'withdrawn')
    end
  end
end

---@param buf integer
---@return string|nil why a `:write` answers nothing now
local function objection(buf)
  local phase = states[buf].phase
  if phase == 'sending' then
    return 'it is being answered.'
  elseif phase == 'unknown' then
    return 'this question is over; nothing more was sent.'
  elseif phase ~= 'open' then
    return M.OVER
  elseif not states[buf].drawn and vim.bo[buf].filetype == 'mcp-problem' then
    return 'there is nothing to answer here.'
  end
  local why = review.objection(buf)
  return why or not fields.is_seen(buf) and 'its fields were not in sight yet: look, then :write again.' or nil
end

-- What a refusal leaves: the question as it was, or what is known of one that has ended.
---@param buf integer
---@param problem McpProblem
local function come_back(buf, problem)
  local state = states[buf]
  local is_open = require('mcp_host.events').snapshot.interactions[state.id] ~= nil
  if problem.type == 'host-failed' and state.phase == 'sending' then
    set_phase(buf, 'unknown')
  else
    set_phase(buf, is_open and 'open' or 'withdrawn')
  end
end

---@param buf integer
---@return boolean
local function is_whole(buf)
  local field = fields.left_out(buf)
  for _, win in ipairs(field and vim.fn.win_findbuf(buf) or {}) do
    fields.go_to_row(win, assert(field).row)
  end
  if field then
    notes.say(('line %d would not be sent: take its # away, or write "# ".'):format(field.row), 'ErrorMsg')
  end
  return not field
end

---Send what stands in the buffer.
---@param buf integer
function M.answer(buf)
  local state = states[buf]
  if not state then
    return
  end
  local why = objection(buf)
  if why then
    return notes.say(why, 'WarningMsg')
  end
  faults.clear(buf)
  fields.settle(buf)
  if not is_whole(buf) then
    return
  end
  set_phase(buf, 'sending')
  local params = { interaction = state.id, text = review.text_of(buf) .. '\n', want = 'document' }
  require('mcp_host.rpc').request('answer', params, function(reply)
    if not reply.problem then
      set_phase(buf, 'answered')
      close(buf)
      return notes.say(state.subject .. ': answered')
    elseif not states[buf] then
      return notes.say_problem(reply.problem)
    end
    come_back(buf, reply.problem)
    faults.show(buf, reply.problem)
  end)
end

---It is decided by a command: its buffer goes, whatever stands in it.
---@param verb "answer"|"decline"|"dismiss"
---@param params table<string, any>
---@param on_reply fun(reply: McpReply)
function M.decide(verb, params, on_reply)
  params.want = 'document'
  local asked = params.interaction and find(params.interaction)
  local is_sent = asked and states[asked].phase == 'open'
  if asked and is_sent then
    set_phase(asked, 'sending')
  end
  require('mcp_host.rpc').request(verb, params, function(reply)
    local decided = reply.document and reply.document.interaction or {}
    local buf = type(decided.interaction) == 'string' and find(decided.interaction)
    if buf then
      set_phase(buf, decided.state)
      close(buf)
    elseif asked and is_sent and states[asked] then
      come_back(asked, assert(reply.problem))
    end
    on_reply(reply)
  end)
end

-- Left without an answer: the server is told that nobody chose.
---@param state McpInteractionState
local function dismiss(state)
  if state.phase ~= 'open' or vim.v.exiting ~= vim.NIL or not require('mcp_host.rpc').peer() then
    return
  end
  local params = { interaction = state.id, want = 'document' }
  require('mcp_host.rpc').request('dismiss', params, function(reply)
    if not reply.problem then
      notes.say(state.subject .. ': cancelled, you gave no answer')
    elseif reply.problem.type ~= 'interaction-closed' then
      notes.say_problem(reply.problem)
    end
  end)
end

-- A `:wq` whose `:write` answered nothing must not go on and cancel.
---@param buf integer
local function on_write(buf)
  M.answer(buf)
  review.stay(buf, function()
    return states[buf] ~= nil and states[buf].phase == 'open'
  end)
end

---A session brought the name back: the question ended with the editor it was in.
---@param buf integer
---@return McpProblem
function M.restored(buf)
  set_phase(buf, 'closed')
  return {
    type = 'interaction-unknown',
    title = 'This question is gone',
    detail = 'A session brought its name back. What servers ask ends with the editor that they asked.',
    hint = ':McpInteractions shows what is asked now.',
    retryable = false,
    causes = {},
  }
end

-- A line that the editor broke would end its value, and one that it began with a `#` would not be sent.
---@param buf integer
local function leave_lines_whole(buf)
  local options = vim.bo[buf]
  options.textwidth, options.wrapmargin = 0, 0
  options.formatoptions = options.formatoptions:gsub('[tcaro]', '')
end

---The whole of it is there: from now on a form is the person's text.
---@param buf integer
function M.drawn(buf)
  local state = states[buf]
  state.drawn = review.text_of(buf)
  if is_form(buf) then
    vim.bo[buf].undolevels = GLOBAL_UNDOLEVELS
    leave_lines_whole(buf)
    vim.bo[buf].omnifunc = "v:lua.require'mcp_host.answer_choices'.complete"
    fields.begin(buf)
  else
    require('mcp_host.addresses').begin(buf)
  end
  review.drawn(buf)
  set_phase(buf, state.phase)
end

---@param buf integer
---@param address McpAddress
function M.attach(buf, address)
  if states[buf] then
    states[buf].drawn = nil
    faults.clear(buf)
    review.reset(buf)
    return draw(buf)
  end
  local id = address.params.interaction
  local asked = require('mcp_host.events').snapshot.interactions[id]
  local kinds = {} ---@type table<string, true>
  for _, kind in ipairs(asked and asked.kinds or {}) do
    kinds[kind] = true
  end
  states[buf] = {
    id = id,
    subject = asked and require('mcp_host.interactions').subject(asked) or id,
    kinds = kinds,
    phase = asked and 'open' or 'closed',
    drawn = nil,
    own = {},
  }
  review.attach(buf, {
    name = address.name,
    on_write = on_write,
    nothing = 'Nothing was sent.',
    changed = nil, -- it is there to be filled in
    unseen = 'only just shown: look, then :write again. Nothing was sent.',
    look_ms = function()
      return M.LOOK_MS
    end,
    draw = draw,
    gone = function()
      local state = states[buf]
      states[buf] = nil
      fields.forget(buf)
      if state then
        vim.schedule(function()
          dismiss(state)
        end)
      end
    end,
  })
  require('mcp_host.kept_form').attach(buf, function()
    notes.say(states[buf].subject .. ': what you typed is kept, :McpInteractions opens it', 'WarningMsg')
  end)
  require('mcp_host.interaction_keys').attach(buf)
  draw(buf)
end

return M
