-- Fills a buffer while its answer arrives: slices of lines, then the marks, the items and, last, the filetype.
local M = {}

local CONNECTING_AFTER_MS = 150
local MARKS_A_TURN = 4000 -- extmarks set before the editor gets its turn again
local MARKS_MOST = 50000

local namespace = vim.api.nvim_create_namespace('mcp_host')

---@param buf integer
---@param first integer
---@param last integer
---@param lines string[]
local function put(buf, first, last, lines)
  vim.bo[buf].modifiable = true
  if not pcall(vim.api.nvim_buf_set_lines, buf, first, last, false, lines) then
    local safe = vim.tbl_map(require('mcp_host.visible').line, lines)
    vim.api.nvim_buf_set_lines(buf, first, last, false, safe)
  end
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

---@param buf integer
---@param marks McpMark[]
---@param from integer
---@param is_current fun(): boolean
local function draw_marks(buf, marks, from, is_current)
  local last = math.min(#marks, from + MARKS_A_TURN - 1, MARKS_MOST)
  for index = from, last do
    local row, start, ends, mark_group = unpack(marks[index])
    pcall(vim.api.nvim_buf_set_extmark, buf, namespace, row, start, {
      end_col = ends,
      hl_group = mark_group,
      strict = false,
    })
  end
  if last < math.min(#marks, MARKS_MOST) then
    vim.schedule(function()
      if is_current() then
        draw_marks(buf, marks, last + 1, is_current)
      end
    end)
  end
end

---@param buf integer
---@param state McpBufferState
local function come_back(buf, state)
  for win, view in pairs(state.views) do
    local shown = vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf
    if shown and vim.api.nvim_win_get_cursor(win)[1] == 1 then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
  state.views = {}
end

---Fill a buffer as an answer arrives. A newer writer on the same buffer silences this one.
---@param buf integer
---@param state McpBufferState
---@return McpWriter
function M.of(buf, state)
  state.load = state.load + 1
  local load, row, done = state.load, 0, false

  local function is_current()
    return vim.api.nvim_buf_is_loaded(buf) and state.load == load
  end

  local writer = {}

  function writer.lines(lines)
    if is_current() then
      put(buf, row, -1, lines) -- the first slice replaces what stood there
      row = row + #lines
    end
  end

  function writer.finish(view, host)
    if not is_current() then
      return
    end
    if row == 0 then
      put(buf, 0, -1, {})
    end
    done = true
    view = view or {}
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
    draw_marks(buf, view.marks or {}, 1, is_current)
    state.items = {}
    for _, item in ipairs(view.items or {}) do
      state.items[item.row] = item
    end
    come_back(buf, state)
    local filetype = view.filetype or 'mcp'
    if vim.bo[buf].filetype ~= filetype then
      vim.bo[buf].filetype = filetype
    end
    require('mcp_host.windows').dress(buf)
    if filetype ~= 'mcp-problem' then
      require('mcp_host.buffers').drawn(buf, host)
    end
  end

  function writer.problem(problem)
    if is_current() then
      local lines, marks = require('mcp_host.notes').problem_lines(problem)
      row = 0
      writer.lines(lines)
      writer.finish({ marks = marks, items = {}, filetype = 'mcp-problem', title = problem.title, line_count = #lines })
    end
  end

  vim.defer_fn(function()
    if is_current() and not done and row == 0 and vim.api.nvim_buf_get_lines(buf, 0, -1, false)[1] == '' then
      put(buf, 0, -1, { 'connecting…' })
    end
  end, CONNECTING_AFTER_MS)
  return writer
end

return M
