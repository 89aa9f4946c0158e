-- Where the picker's floats stand. Below 100 columns there is no room for a card, so it is left out.
local windows = require('mcp_host.windows')

local M = {}

local CARD_FROM_COLUMNS = 100
local MOST_COLUMNS = 160
local MOST_ROWS = 30

---@class (exact) McpPickerLayout
---@field prompt table
---@field list table
---@field card table|nil

---@param title string
---@return McpPickerLayout
function M.of(title)
  local columns, lines = vim.o.columns, vim.o.lines - vim.o.cmdheight - 1
  local width = math.min(columns - 4, MOST_COLUMNS)
  local with_card = columns >= CARD_FROM_COLUMNS
  local list_width = with_card and math.floor((width - 4) * 0.5) or width - 2
  local height = math.max(math.min(lines - 6, MOST_ROWS), 3)
  local row, col = math.max(math.floor((lines - height - 5) / 2), 0), math.floor((columns - width) / 2)
  local function float(over)
    local base = { relative = 'editor', style = 'minimal', border = windows.border(), focusable = false, zindex = 60 }
    return vim.tbl_extend('force', base, over)
  end
  return {
    prompt = float({
      row = row,
      col = col,
      width = list_width,
      height = 1,
      focusable = true,
      title = windows.title(title),
    }),
    list = float({ row = row + 3, col = col, width = list_width, height = height }),
    card = with_card and float({
      row = row,
      col = col + list_width + 2,
      width = width - list_width - 4,
      height = height + 3,
      title = windows.title('card'),
    }) or nil,
  }
end

return M
