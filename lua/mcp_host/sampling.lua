-- A completion that a server asks for, drafted by the function that was given to `setup{ sampling }`. It goes into the
-- form, where a person reads it; nothing is sent before `:write`.
local notes = require('mcp_host.notes')
local visible = require('mcp_host.visible')

local M = {}

local UNNAMED = 'unnamed' -- in place of `human`, which is not true any more

---@class (exact) McpDrafting
---@field tick integer of the text that was there when it was asked for, with what was drafted since
---@field waiting integer completions that have not come

---@class (exact) McpCompletion
---@field number integer of the request among those that a person answers; 0 for the only one
---@field request table

local under_way = {} ---@type table<integer, McpDrafting> buffer -> what was asked for last

---@param buf integer
---@param number integer see `McpCompletion`
---@return table<string, McpField> by key
local function fields_of(buf, number)
  local found = {}
  for _, field in ipairs(require('mcp_host.answer_lines').fields(vim.api.nvim_buf_get_lines(buf, 0, -1, false))) do
    if field.section == number + 1 and not field.is_absent then
      found[field.key] = field
    end
  end
  return found
end

---@param char string
---@return string
local function escaped(char)
  if char == '"' or char == '\\' then
    return '\\' .. char
  elseif #char == 1 then
    return char == '\t' and '\\t' or ('\\u%04x'):format(char:byte())
  end
  return visible.is_safe(char) and char or ('\\U%08x'):format(vim.fn.char2nr(char))
end

---@param text string
---@return string
local function on_one_line(text)
  return (text:gsub('[%c"\\]', escaped):gsub('[\194-\244][\128-\191]+', escaped))
end

---@param text string
---@return string[] lines that stand for it in TOML
local function spelled(text)
  local lines = { 'text = """' }
  for _, line in ipairs(vim.split(text, '\n', { plain = true })) do
    lines[#lines + 1] = (on_one_line(line):gsub(' $', '\\u0020')) -- whoever trims lines must not change it
  end
  lines[#lines + 1] = '"""'
  return lines
end

-- Whoever is typing there is not interrupted, and what was typed meanwhile is not replaced.
---@param buf integer
---@param drafting McpDrafting
---@return string|nil why nothing can be written there now
local function objection(buf, drafting)
  if not vim.api.nvim_buf_is_valid(buf) or not vim.bo[buf].modifiable then
    return 'there is no field for it'
  elseif vim.api.nvim_buf_get_changedtick(buf) ~= drafting.tick then
    return 'you changed the text'
  elseif vim.api.nvim_get_current_buf() == buf and not require('mcp_host.windows').is_idle() then
    return 'you were busy'
  end
  return nil
end

---@param buf integer
---@param number integer
---@param text string
---@param model string
---@return string|nil why it was not placed
local function place(buf, number, text, model)
  local fields = fields_of(buf, number)
  if not fields.text then
    return 'there is no field for it'
  end
  vim.bo[buf].undolevels = vim.bo[buf].undolevels -- one `u` takes back the draft, and nothing before it
  vim.api.nvim_buf_set_lines(buf, fields.text.row - 1, fields.text.last, false, spelled(text))
  if fields.model and fields.model.row < fields.text.row then
    local line = ('model = "%s"'):format(on_one_line(model))
    vim.api.nvim_buf_set_lines(buf, fields.model.row - 1, fields.model.last, false, { line })
  end
  return nil
end

---@param buf integer
---@param number integer
---@param text any
---@param model any
local function take(buf, number, text, model)
  local drafting = under_way[buf]
  model = type(model) == 'string' and model:find('%S') and model or UNNAMED
  if type(text) ~= 'string' or not text:find('%S') then
    return notes.say('your sampling function gave no text; nothing was written.', 'WarningMsg')
  end
  local why = objection(buf, drafting) or place(buf, number, (text:gsub('%s+$', '')), model)
  if not why then
    drafting.tick = vim.api.nvim_buf_get_changedtick(buf)
    return notes.say('drafted; read it, then :write sends it.')
  end
  vim.fn.setreg('"', text)
  notes.say(why .. '; "" has the draft, p puts it.', 'WarningMsg')
end

-- What it raised may hold what it was about to say, so it is not repeated.
---@param sampler McpSampler
---@return string
local function raised(sampler)
  local info = debug.getinfo(sampler, 'S')
  local place_of = ('%s:%d'):format(vim.fs.basename(info.short_src), info.linedefined)
  return ('your sampling function (%s) raised an error; nothing was written.'):format(place_of)
end

-- A function that never calls `done` is asked again by the next `:McpSample`; what it says after that is left out.
---@param sampler McpSampler
---@param buf integer
---@param one McpCompletion
---@param drafting McpDrafting
local function run(sampler, buf, one, drafting)
  local is_done = false
  local function finish()
    is_done, drafting.waiting = true, drafting.waiting - 1
    if drafting.waiting == 0 and under_way[buf] == drafting then
      under_way[buf] = nil
    end
  end
  local function done(text, model)
    vim.schedule(function()
      if not is_done then
        if under_way[buf] == drafting then
          take(buf, one.number, text, model)
        end
        finish()
      end
    end)
  end
  local waits = debug.getinfo(sampler, 'u').nparams >= 2
  local ok, text, model = pcall(sampler, one.request, done)
  if not ok then
    finish()
    notes.say(raised(sampler), 'ErrorMsg')
  elseif not waits or text ~= nil then
    done(text, model)
  end
end

---@param requests table[] of the interaction's document
---@return McpCompletion[]
local function completions(requests)
  local found, number = {}, 0
  local of_person = vim.tbl_filter(function(request)
    return request.kind ~= 'roots'
  end, requests)
  for _, request in ipairs(of_person) do
    number = number + 1
    if request.kind == 'sampling' then
      found[#found + 1] = { number = #of_person > 1 and number or 0, request = request.params or request }
    end
  end
  return found
end

---Let the function write the text of a form, for a person to read.
---@param buf integer
---@param interaction string
function M.draft(buf, interaction)
  local sampler = require('mcp_host.offers').sampler()
  if not sampler then
    return notes.say('no function was given, see :help mcp-host-sampling; write it yourself.', 'WarningMsg')
  elseif under_way[buf] then
    notes.say('your sampling function is asked again.')
  end
  local drafting = { tick = vim.api.nvim_buf_get_changedtick(buf), waiting = 0 } ---@type McpDrafting
  under_way[buf] = drafting
  local params = { interaction = interaction, want = 'document' }
  require('mcp_host.rpc').request('interaction', params, function(reply)
    if under_way[buf] ~= drafting then
      return
    end
    local asked = completions(((reply.document or {}).interaction or {}).requests or {})
    drafting.waiting = #asked
    if #asked == 0 then
      under_way[buf] = nil
    end
    if reply.problem then
      return notes.say_problem(reply.problem)
    elseif #asked == 0 then
      return notes.say('nothing here asks for a completion.', 'WarningMsg')
    end
    for _, one in ipairs(asked) do
      run(sampler, buf, one, drafting)
    end
  end)
end

return M
