-- The fields of a form, in the buffer that it is filled in. What is not filled in stands behind a `#` and is not sent.
-- So a field that somebody fills in loses its `#`: nothing that was typed is left out unseen. Put back, it stays.
local M = {}

---@class (exact) McpField
---@field id string its table and its key
---@field row integer 1-based
---@field column integer 0-based, of its value
---@field line string
---@field is_absent boolean it stands behind a `#`

local seen = {} ---@type table<integer, table<string, string>> buffer -> absent field -> its line
local begun = {} ---@type table<integer, table<string, true>> buffer -> the fields that it came with

---@param buf integer
---@return McpField[]
local function fields_of(buf)
  local fields, heading = {}, ''
  for row, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, -1, false)) do
    local mark, key, sign = line:match('^(#?)([^%s#][^=]-)( = )')
    if line:find('^%[.+%]%s*$') then
      heading = line
    elseif key then
      fields[#fields + 1] = {
        id = heading .. key,
        row = row,
        column = #mark + #key + #sign,
        line = line,
        is_absent = mark == '#',
      }
    end
  end
  return fields
end

---@param buf integer
local function remember(buf)
  seen[buf] = {}
  for _, field in ipairs(fields_of(buf)) do
    if field.is_absent then
      seen[buf][field.id] = field.line
    end
  end
end

---What was typed behind a `#` counts now.
---@param buf integer
function M.settle(buf)
  if not seen[buf] or not vim.bo[buf].modifiable then
    return
  end
  for _, field in ipairs(fields_of(buf)) do
    local before = field.is_absent and begun[buf][field.id] and seen[buf][field.id]
    if before and before ~= field.line then
      vim.api.nvim_buf_call(buf, function()
        pcall(vim.cmd.undojoin) -- one `u` takes back both
      end)
      vim.api.nvim_buf_set_text(buf, field.row - 1, 0, field.row - 1, 1, {})
    end
  end
  remember(buf)
end

---@param win integer
---@param field McpField
local function go_to(win, field)
  local column = math.min(field.column, math.max(#field.line - 1, 0))
  vim.api.nvim_win_set_cursor(win, { field.row, column })
end

---@param buf integer
---@param is_forward boolean
local function go_on(buf, is_forward)
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local fields = fields_of(buf)
  for index = 1, #fields do
    local field = fields[is_forward and index or #fields + 1 - index]
    if is_forward and field.row > row or not is_forward and field.row < row then
      return go_to(0, field)
    end
  end
end

---Go to what stands in this line: the value of its field, or its beginning.
---@param win integer
---@param row integer 1-based
function M.go_to_row(win, row)
  for _, field in ipairs(fields_of(vim.api.nvim_win_get_buf(win))) do
    if field.row == row then
      return go_to(win, field)
    end
  end
  vim.api.nvim_win_set_cursor(win, { row, 0 })
end

---@param buf integer
---@param field McpField
---@return boolean
local function is_required(buf, field)
  local lines = field.is_absent and vim.api.nvim_buf_get_lines(buf, 0, field.row - 1, false) or {}
  for row = #lines, 1, -1 do
    if not vim.startswith(lines[row], '# ') then
      return false
    elseif lines[row]:find('required', 1, true) then
      return true
    end
  end
  return false
end

---@param buf integer
---@return McpField|nil where somebody begins: what is required, else the text of a completion, else the first
local function first_of(buf)
  local fields, text = fields_of(buf), nil ---@type McpField[], McpField|nil
  for _, field in ipairs(fields) do
    if is_required(buf, field) then
      return field
    elseif field.line == 'text = """' then
      text = text or field
    end
  end
  return text or fields[1]
end

-- What is said above the fields must be seen, too.
---@param buf integer
local function go_to_first(buf)
  local field = first_of(buf)
  for _, win in ipairs(field and vim.fn.win_findbuf(buf) or {}) do
    local is_at_top = vim.api.nvim_win_get_cursor(win)[1] == 1
    if field and is_at_top and field.row < vim.api.nvim_win_get_height(win) then
      go_to(win, field)
    end
  end
end

---The form is there.
---@param buf integer
function M.begin(buf)
  if not begun[buf] then
    vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, {
      buffer = buf,
      callback = function()
        M.settle(buf)
      end,
    })
    local maps = { [']]'] = { '<Plug>(McpNextField)', true }, ['[['] = { '<Plug>(McpPreviousField)', false } }
    for key, map in pairs(maps) do
      vim.keymap.set('n', map[1], function()
        go_on(buf, map[2])
      end, { buffer = buf, silent = true })
      if not vim.g.no_mcp_host_maps then
        vim.keymap.set('n', key, map[1], { buffer = buf, remap = true, silent = true })
      end
    end
  end
  remember(buf)
  begun[buf] = {}
  for id in pairs(seen[buf]) do
    begun[buf][id] = true
  end
  go_to_first(buf)
end

---The buffer is gone.
---@param buf integer
function M.forget(buf)
  seen[buf], begun[buf] = nil, nil
end

return M
