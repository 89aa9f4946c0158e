-- Completion in a form (CTRL-X CTRL-O): the choices that stand in the comments above the field.
local M = {}

---@param row integer 1-based
---@return string[] the comment above the field, top down
local function comment_above(row)
  local lines = {}
  for above = row - 1, 1, -1 do
    local text = vim.fn.getline(above)
    if not text:find('^# ') then
      break
    end
    table.insert(lines, 1, text)
  end
  return lines
end

---@param text string
---@param found string[]
local function take_quoted(text, found)
  for word in text:gmatch('"[^"\\]*"') do
    if not vim.tbl_contains(found, word) then
      found[#found + 1] = word
    end
  end
end

-- On lines of their own they are indented, their titles behind them; in the rule they follow `one of` or `any of`.
---@param row integer
---@return string[] choices as they are spelled in TOML
local function choices_at(row)
  local found = {}
  for _, text in ipairs(comment_above(row)) do
    local listed = text:match('^#%s+(".*)$')
    local rule = text:match('one of (".*)$') or text:match('any of (".*)$')
    if listed then
      take_quoted(listed:match('^"[^"]*"  ') or listed, found)
    elseif rule then
      take_quoted(rule, found)
    elseif text:find('true or false', 1, true) then
      vim.list_extend(found, { 'true', 'false' })
    end
  end
  return found
end

---@param findstart integer
---@param base string
---@return integer|string[]
function M.complete(findstart, base)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  if findstart == 1 then
    local before = vim.api.nvim_get_current_line():sub(1, column)
    local start = before:find('"[^"]*$')
    local quotes = select(2, before:gsub('"', ''))
    if start and quotes % 2 == 1 then
      return start - 1
    end
    return #before - #before:match('[%w_.-]*$')
  end
  local is_closed = vim.api.nvim_get_current_line():sub(column + 1, column + 1) == '"'
  local found = {}
  for _, choice in ipairs(choices_at(row)) do
    if vim.startswith(choice, base) then
      found[#found + 1] = is_closed and choice:gsub('"$', '') or choice
    end
  end
  return found
end

return M
