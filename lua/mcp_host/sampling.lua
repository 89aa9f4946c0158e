-- A completion that a server asks for, drafted by the function that was given to `setup{ sampling }`. It goes into the
-- form, where a person reads it; nothing is sent before `:write`.
local notes = require('mcp_host.notes')
local visible = require('mcp_host.visible')

local M = {}

local UNNAMED = 'unnamed' -- in place of `human`, which is not true any more

local under_way = {} ---@type table<integer, true> buffers

---@class (exact) McpAssigned
---@field first integer 1-based line
---@field last integer

---@param text string what stands behind the `=`
---@return string|nil delimiter of a text that goes on below
local function opens(text)
  for _, delimiter in ipairs({ '"""', "'''" }) do
    if vim.startswith(text, delimiter) and not text:find(delimiter, 4, true) then
      return delimiter
    end
  end
  return nil
end

---The fields of a form, by table. The first table is what stands above every heading.
---@param lines string[]
---@return table<string, McpAssigned>[]
local function tables_of(lines)
  local tables, open, delimiter = { {} }, nil, nil ---@type table<string, McpAssigned>[], McpAssigned|nil, string|nil
  for number, line in ipairs(lines) do
    local name, value = line:match('^([%w_-]+)%s*=%s*(.*)$')
    if delimiter then
      assert(open).last = number
      delimiter = not line:find(delimiter, 1, true) and delimiter or nil
    elseif line:find('^%[.+%]%s*$') then
      tables[#tables + 1] = {}
    elseif name then
      open = { first = number, last = number }
      tables[#tables][name] = open
      delimiter = opens(value)
    end
  end
  return tables
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

---@param buf integer
---@param number integer of the request among those that a person answers; 0 for the only one
---@param text string
---@param model string
---@return boolean placed
local function place(buf, number, text, model)
  if not vim.api.nvim_buf_is_valid(buf) or not vim.bo[buf].modifiable then
    return false
  end
  local fields = tables_of(vim.api.nvim_buf_get_lines(buf, 0, -1, false))[number + 1] or {}
  if not fields.text then
    return false
  end
  vim.api.nvim_buf_set_lines(buf, fields.text.first - 1, fields.text.last, false, spelled(text))
  if fields.model and fields.model.first < fields.text.first then
    local line = ('model = "%s"'):format(on_one_line(model))
    vim.api.nvim_buf_set_lines(buf, fields.model.first - 1, fields.model.last, false, { line })
  end
  return true
end

---@param buf integer
---@param number integer
---@param text any
---@param model any
local function take(buf, number, text, model)
  under_way[buf] = nil
  model = type(model) == 'string' and model:find('%S') and model or UNNAMED
  if type(text) ~= 'string' or not text:find('%S') then
    return notes.say('your sampling function gave no text; nothing was written.', 'WarningMsg')
  elseif place(buf, number, (text:gsub('%s+$', '')), model) then
    return notes.say('drafted; read it, then :write sends it.')
  end
  vim.fn.setreg('"', text)
  notes.say('the draft has no field to go to; "" has it, p puts it.', 'WarningMsg')
end

-- What it raised may hold what it was about to say, so it is not repeated.
---@param sampler McpSampler
---@return string
local function raised(sampler)
  local info = debug.getinfo(sampler, 'S')
  local place_of = ('%s:%d'):format(vim.fs.basename(info.short_src), info.linedefined)
  return ('your sampling function (%s) raised an error; nothing was written.'):format(place_of)
end

---@param sampler McpSampler
---@param buf integer
---@param number integer
---@param request table
local function run(sampler, buf, number, request)
  under_way[buf] = true
  local is_done = false
  local function done(text, model)
    if not is_done then
      is_done = true
      vim.schedule(function()
        take(buf, number, text, model)
      end)
    end
  end
  local waits = debug.getinfo(sampler, 'u').nparams >= 2
  local ok, text, model = pcall(sampler, request, done)
  if not ok then
    is_done, under_way[buf] = true, nil
    notes.say(raised(sampler), 'ErrorMsg')
  elseif not waits or text ~= nil then
    done(text, model)
  end
end

---@param requests table[] of the interaction's document
---@return { number: integer, request: table }[] those that ask for a completion
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
    return notes.say('your sampling function is at it.')
  end
  local params = { interaction = interaction, want = 'document' }
  require('mcp_host.rpc').request('interaction', params, function(reply)
    if reply.problem then
      return notes.say_problem(reply.problem)
    end
    local asked = completions(((reply.document or {}).interaction or {}).requests or {})
    if #asked == 0 then
      return notes.say('nothing here asks for a completion.', 'WarningMsg')
    end
    for _, one in ipairs(asked) do
      run(sampler, buf, one.number, one.request)
    end
  end)
end

return M
