-- The fields of a form, in the buffer that it is filled in. What is not filled in stands behind a `#` and is not sent.
-- So a field that somebody fills in loses its `#`: nothing that was typed is left out unseen. Put back, it stays.
local lines = require('mcp_host.answer_lines')

local M = {}

---@class (exact) McpFilledForm
---@field begun table<string, true> fields that stood behind a `#` when it came
---@field came table<string, table<string, true>> key -> the lines that it came in, behind a `#`
---@field absent table<string, table<string, true>> field -> the lines that it had behind a `#` when it was last found
---@field put_back table<string, table<string, true>> field -> the lines that somebody put behind a `#` again
---@field is_seen boolean the first field was on the screen

local forms = {} ---@type table<integer, McpFilledForm>

---@param buf integer
---@return McpField[]
local function fields_of(buf)
  return lines.fields(vim.api.nvim_buf_get_lines(buf, 0, -1, false))
end

---@param sets table<string, table<string, true>>
---@param name string
---@param line string
local function put(sets, name, line)
  sets[name] = sets[name] or {}
  sets[name][line] = true
end

---@param sets table<string, table<string, true>>
---@param name string
---@param line string
---@return boolean
local function has(sets, name, line)
  return sets[name] ~= nil and sets[name][line] ~= nil
end

-- What is not found, while a text or a bracket above it is still open, stays as it was known.
---@param buf integer
local function remember(buf)
  local form, absent = forms[buf], {} ---@type McpFilledForm, table<string, table<string, true>>
  local fields = fields_of(buf)
  for _, field in ipairs(fields) do
    if field.is_absent then
      put(absent, field.id, field.line)
      if form.begun[field.id] and not form.absent[field.id] then
        put(form.put_back, field.id, field.line)
      end
    end
  end
  for _, field in ipairs(fields) do
    form.absent[field.id] = absent[field.id]
  end
end

---@param buf integer
---@return McpField|nil the first that was filled in behind its `#`
local function filled_in(buf)
  local form = forms[buf]
  for _, field in ipairs(fields_of(buf)) do
    local is_known = field.is_absent and form.begun[field.id] and form.absent[field.id] ~= nil
    if is_known and not has(form.absent, field.id, field.line) then
      return field
    end
  end
  return nil
end

---What was typed behind a `#` counts now.
---@param buf integer
function M.settle(buf)
  if not forms[buf] or not vim.bo[buf].modifiable then
    return
  end
  local field = filled_in(buf)
  while field do
    vim.api.nvim_buf_call(buf, function()
      pcall(vim.cmd.undojoin) -- one `u` takes back both
    end)
    vim.api.nvim_buf_set_text(buf, field.row - 1, 0, field.row - 1, 1, {})
    field = filled_in(buf) -- its value may go on below, where other fields seemed to be
  end
  remember(buf)
end

---A field that would be left out although nobody put it back: under a head that was not there, say.
---@param buf integer
---@return McpField|nil
function M.left_out(buf)
  local form = forms[buf]
  for _, field in ipairs(form and fields_of(buf) or {}) do
    local is_meant = has(form.came, field.key, field.line) or has(form.put_back, field.id, field.line)
    if field.is_absent and form.came[field.key] and not is_meant then
      return field
    end
  end
  return nil
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
  local above = field.is_absent and vim.api.nvim_buf_get_lines(buf, 0, field.row - 1, false) or {}
  for row = #above, 1, -1 do
    if not vim.startswith(above[row], '# ') then
      return false
    elseif above[row]:find('required', 1, true) then
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

---@param win integer
---@param row integer 1-based
---@return boolean
local function is_on_screen(win, row)
  local is_there = vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage()
  local has_rows = is_there and vim.fn.getwininfo(win)[1].height > 0
  return has_rows and vim.fn.line('w0', win) <= row and row <= vim.fn.line('w$', win)
end

---Whether the first field was ever on the screen, or the last line where there is none.
---@param buf integer
---@return boolean
function M.is_seen(buf)
  local form = forms[buf]
  if not form or form.is_seen then
    return true
  end
  local field = first_of(buf)
  local row = field and field.row or vim.api.nvim_buf_line_count(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    form.is_seen = form.is_seen or is_on_screen(win, row)
  end
  return form.is_seen
end

---@param buf integer
local function watch(buf)
  vim.api.nvim_create_autocmd({ 'InsertLeave', 'TextChanged' }, {
    buffer = buf,
    callback = function()
      M.settle(buf)
    end,
  })
  vim.api.nvim_create_autocmd({ 'WinEnter', 'WinScrolled', 'CursorMoved' }, {
    buffer = buf,
    callback = function()
      M.is_seen(buf)
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

---The form is there.
---@param buf integer
function M.begin(buf)
  if not forms[buf] then
    watch(buf)
  end
  local form = { begun = {}, came = {}, absent = {}, put_back = {}, is_seen = false } ---@type McpFilledForm
  for _, field in ipairs(fields_of(buf)) do
    if field.is_absent then
      form.begun[field.id] = true
      put(form.came, field.key, field.line)
      put(form.absent, field.id, field.line)
    end
  end
  forms[buf] = form
  go_to_first(buf)
end

---The buffer is gone.
---@param buf integer
function M.forget(buf)
  forms[buf] = nil
end

return M
