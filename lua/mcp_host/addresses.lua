-- Opens an address that a server wants somebody to go to: on a key press, never unasked, and only http and https.
local notes = require('mcp_host.notes')

local M = {}

local FAILED_WITHIN_MS = 1500 -- a program that has not given up by then has most likely shown something
local PIECE_CHARACTERS = 40 -- of an address that goes on below: enough to be that one and no other
local BY_HAND = ': yank the address, open it elsewhere'

---@param buf integer
---@return table<string, integer> the addresses that may be opened, each with the row it was shown in
local function addresses_of(buf)
  local rows = {}
  for row, item in pairs(assert(require('mcp_host.buffers').state(buf)).items) do
    if item.kind == 'url' then
      rows[item.name] = math.min(rows[item.name] or row, row)
    end
  end
  return rows
end

---What the line itself says: in a form, lines move. A long address goes on below.
---@param line string
---@param url string
---@return boolean
local function is_shown_in(line, url)
  local piece = vim.trim((line:gsub('^#', '')))
  return line:find(url, 1, true) ~= nil or (#piece >= PIECE_CHARACTERS and url:find(piece, 1, true) ~= nil)
end

---The address on the line, else the only one in the buffer.
---@param buf integer
---@return string|nil url
---@return string|nil why there is none
local function find(buf)
  local line, found = vim.api.nvim_get_current_line(), nil ---@type string, string|nil
  local urls = vim.tbl_keys(addresses_of(buf))
  for _, url in ipairs(urls) do
    if is_shown_in(line, url) and (not found or #url > #found) then
      found = url
    end
  end
  if #urls > 1 then
    return found, 'there are several addresses: put the cursor on the line of one.'
  end
  return urls[1], 'there is no address here that can be opened.'
end

---@param url string
---@return boolean
local function may_be_opened(url)
  local rest = url:match('^[Hh][Tt][Tt][Pp][Ss]?://(.+)$')
  return rest ~= nil and not url:find('[%s%c"`\\]') and require('mcp_host.visible').is_safe(url)
end

---A page about an address is there: the cursor goes to it.
---@param buf integer
function M.begin(buf)
  local rows = vim.tbl_values(addresses_of(buf))
  table.sort(rows)
  for _, win in ipairs(rows[1] and vim.fn.win_findbuf(buf) or {}) do
    local is_at_top = vim.api.nvim_win_get_cursor(win)[1] == 1
    if is_at_top and rows[1] + 1 < vim.api.nvim_win_get_height(win) then
      vim.api.nvim_win_set_cursor(win, { rows[1] + 1, 0 })
    end
  end
end

---@param buf integer
function M.open(buf)
  local url, why = find(buf)
  if not url then
    return notes.say(assert(why), 'WarningMsg')
  elseif not may_be_opened(url) then
    return notes.say('that address is not one to be opened from here.', 'WarningMsg')
  end
  local is_called, process, problem = pcall(vim.ui.open, url)
  if not is_called or problem then
    return notes.say('no browser here' .. BY_HAND, 'WarningMsg')
  end
  notes.say('opened; come back and :write when it is done.')
  vim.defer_fn(function()
    if type(process) == 'table' and process.is_closing and process:is_closing() and process:wait().code ~= 0 then
      notes.say('no browser could be opened' .. BY_HAND, 'WarningMsg')
    end
  end, FAILED_WITHIN_MS)
end

return M
