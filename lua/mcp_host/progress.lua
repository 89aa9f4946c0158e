-- Progress of the calls that run, as Neovim's own progress messages, which are there since 0.12; before that nothing is
-- echoed, and `User McpProgress` and `mcp://servers` tell of it. One message at a time, a few in a second.
local visible = require('mcp_host.visible')

local M = {}

M.PAUSE_MS = 200 -- faster than that nobody reads
local PERCENT_CELLS = 8 -- `: 100% ` between title and text

local STATUS = { started = 'running', succeeded = 'success' }

local due = nil ---@type McpProgress|nil what is drawn next
local is_pausing = false
local drawn = {} ---@type table<string, string> call -> title of its message

---@param told McpProgress
---@return integer|nil
local function percent_of(told)
  if not told.total or told.total <= 0 then
    return nil
  end
  return math.floor(math.min(math.max(told.progress / told.total, 0), 1) * 100)
end

-- A second message before a redraw, or one that is wider than the screen, would ask for a key.
---@param call string
---@param text string
---@param status string
---@param percent integer|nil
local function echo(call, text, status, percent)
  local notes = require('mcp_host.notes')
  local title = notes.truncate(drawn[call], math.floor(vim.v.echospace / 2))
  local room = vim.v.echospace - vim.fn.strdisplaywidth(title) - PERCENT_CELLS
  vim.cmd.redraw()
  pcall(vim.api.nvim_echo, { { notes.truncate(visible.line(text), math.max(room, 1)) } }, false, {
    id = 'mcp-host.' .. call,
    kind = 'progress',
    source = 'mcp-host',
    title = title,
    status = status,
    percent = percent,
  })
end

---@param told McpProgress
local function draw(told)
  drawn[told.call] = visible.line(('%s.%s'):format(told.alias, told.tool or told.name or told.kind))
  local count = told.total and ('%g of %g'):format(told.progress, told.total) or ('%g'):format(told.progress)
  echo(told.call, told.message or count, 'running', percent_of(told))
end

local function draw_due()
  if not due or vim.api.nvim_get_mode().mode:sub(1, 1) == 'c' then
    return
  end
  local told = due
  due, is_pausing = nil, true
  draw(told)
  vim.defer_fn(function()
    is_pausing = false
    draw_due()
  end, M.PAUSE_MS)
end

---@param told McpProgress
function M.told(told)
  if vim.fn.has('nvim-0.12') == 0 then
    return
  end
  due = told
  if not is_pausing then
    draw_due()
  end
end

---The call has ended: nothing of it is left on the screen.
---@param call string
---@param state string
function M.ended(call, state)
  if due and due.call == call then
    due = nil
  end
  if drawn[call] then
    echo(call, '', STATUS[state] or 'failed')
    drawn[call] = nil
    vim.cmd.redraw()
    vim.api.nvim_echo({ { '' } }, false, {})
  end
end

---The calls ended with the host.
function M.host_ended()
  for call in pairs(vim.deepcopy(drawn)) do
    M.ended(call, 'failed')
  end
end

return M
