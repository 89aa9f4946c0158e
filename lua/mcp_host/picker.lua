-- The floating picker of `:McpTools`: a prompt line, the list under it, the card of the tool at its right.
-- Only the rows on screen are ever drawn, so ten thousand tools stay quick.
local windows = require('mcp_host.windows')

local M = {}

local MATCHES_MOST = 1000 -- matchfuzzy ranks all and hands back this many
local PREVIEW_AFTER_MS = 40
local HALF = 0.5

local namespace = vim.api.nvim_create_namespace('mcp_host_picker')

---@class (exact) McpPicker
---@field origin McpOrigin
---@field previous integer the window before the origin's
---@field alias string|nil
---@field title string
---@field rows McpToolRow[]
---@field texts string[] what is searched, one a row; unique
---@field row_of table<string, integer>
---@field matches integer[] rows that match, best first
---@field selected integer into `matches`
---@field top integer first of `matches` on screen
---@field height integer
---@field note string|nil shown instead of rows
---@field bufs table<"prompt"|"list"|"card", integer>
---@field wins table<"prompt"|"list"|"card", integer>
---@field card_of string|nil tool whose card is shown or under way
---@field closed boolean

---To the window it was opened from, with the same one before it (`CTRL-W p`).
---@param self McpPicker
local function go_back(self)
  for _, win in ipairs({ self.previous, self.origin.win }) do
    if vim.api.nvim_win_is_valid(win) then
      vim.cmd(('noautocmd call win_gotoid(%d)'):format(win))
    end
  end
end

---@param self McpPicker
local function close(self)
  if self.closed then
    return
  end
  self.closed = true
  vim.cmd.stopinsert()
  vim.schedule(function() -- Insert mode must end in here: it takes the cursor of the window it ends in a step back
    local is_left = vim.api.nvim_get_current_win() ~= self.wins.prompt
    for _, win in pairs(self.wins) do
      pcall(vim.api.nvim_win_close, win, true)
    end
    if not is_left then
      go_back(self)
    end
  end)
end

---@param buf integer
---@param lines string[]
local function set_lines(buf, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
end

---@param row McpToolRow
---@param with_alias boolean
---@return [string, string][] chunks
local function chunks_of(row, with_alias)
  local chunks = { { row.name, 'McpTool' }, { '  ' .. row.summary, 'McpSummary' } }
  if with_alias then
    table.insert(chunks, 1, { row.alias .. ' ', 'McpAlias' })
  end
  if row.effect ~= 'read' then
    table.insert(chunks, { '  ' .. row.effect, 'McpEffectHost' })
  end
  return chunks
end

---@param self McpPicker
---@return string[] lines
---@return McpMark[] marks
local function visible(self)
  local lines, marks = {}, {}
  local last = math.min(#self.matches, self.top + self.height - 1)
  for index = self.top, last do
    local text, row = ' ', #lines
    for _, chunk in ipairs(chunks_of(self.rows[self.matches[index]], self.alias == nil)) do
      local piece = require('mcp_host.visible').line(chunk[1])
      marks[#marks + 1] = { row, #text, #text + #piece, chunk[2] }
      text = text .. piece
    end
    lines[#lines + 1] = text
  end
  return lines, marks
end

---@param self McpPicker
local function draw(self)
  local buf = self.bufs.list
  if self.closed or not vim.api.nvim_buf_is_valid(buf) then
    return
  end
  local lines, marks = visible(self)
  if #lines == 0 then
    lines = { ' ' .. (self.note or 'nothing matches') }
  end
  set_lines(buf, lines)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  for _, mark in ipairs(marks) do
    local opts = { end_col = mark[3], hl_group = mark[4], strict = false }
    vim.api.nvim_buf_set_extmark(buf, namespace, mark[1], mark[2], opts)
  end
  if #self.matches > 0 then
    local row = self.selected - self.top
    vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, { line_hl_group = 'PmenuSel' })
    vim.api.nvim_win_set_cursor(self.wins.list, { row + 1, 0 })
  end
end

---@param self McpPicker
---@return McpToolRow|nil
local function chosen(self)
  local row = self.matches[self.selected]
  return row and self.rows[row]
end

---@param self McpPicker
---@param lines string[]
---@param marks McpMark[]
local function draw_card(self, lines, marks)
  local buf = self.bufs.card
  set_lines(buf, lines)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  for _, mark in ipairs(marks) do
    local opts = { end_col = mark[3], hl_group = mark[4], strict = false }
    pcall(vim.api.nvim_buf_set_extmark, buf, namespace, mark[1], mark[2], opts)
  end
  vim.api.nvim_win_set_cursor(self.wins.card, { 1, 0 })
end

---@param self McpPicker
---@param row McpToolRow
local function fetch_card(self, row)
  local lines = {}
  local params = { alias = row.alias, tool = row.name, want = 'view' }
  require('mcp_host.rpc').request('card', params, function(reply)
    if self.closed or self.card_of ~= row.callableName then
      return
    end
    local marks = reply.view and reply.view.marks or {}
    if reply.problem then
      lines, marks = require('mcp_host.notes').problem_lines(reply.problem)
    end
    draw_card(self, lines, marks)
  end, {
    on_lines = function(slice)
      vim.list_extend(lines, slice)
    end,
  })
end

-- The card follows the selection once the selection rests.
---@param self McpPicker
local function preview(self)
  local row = chosen(self)
  if not self.wins.card or not row or self.card_of == row.callableName then
    return
  end
  vim.defer_fn(function()
    if not self.closed and chosen(self) == row and self.card_of ~= row.callableName then
      self.card_of = row.callableName
      fetch_card(self, row)
    end
  end, PREVIEW_AFTER_MS)
end

---@param self McpPicker
---@param by integer
local function move(self, by)
  local last = #self.matches
  if last == 0 then
    return
  end
  self.selected = math.min(math.max(self.selected + by, 1), last)
  if self.selected < self.top then
    self.top = self.selected
  elseif self.selected >= self.top + self.height then
    self.top = self.selected - self.height + 1
  end
  draw(self)
  preview(self)
end

-- The editor has another size now.
---@param self McpPicker
local function relayout(self)
  if self.closed then
    return
  end
  local places = require('mcp_host.picker_layout').of(self.title)
  for part, win in pairs(self.wins) do
    if places[part] then
      vim.api.nvim_win_set_config(win, places[part])
    else
      self.wins[part] = nil
      vim.api.nvim_win_close(win, true)
    end
  end
  self.height = places.list.height
  self.top = math.max(self.selected - self.height + 1, math.min(self.top, self.selected))
  draw(self)
end

---@param self McpPicker
local function search(self)
  local query = vim.api.nvim_buf_get_lines(self.bufs.prompt, 0, 1, false)[1] or ''
  self.matches, self.selected, self.top = {}, 1, 1
  if query:find('%S') then
    for _, text in ipairs(vim.fn.matchfuzzy(self.texts, query, { limit = MATCHES_MOST })) do
      self.matches[#self.matches + 1] = self.row_of[text]
    end
  else
    for index = 1, #self.rows do
      self.matches[index] = index
    end
  end
  draw(self)
  preview(self)
end

---@param self McpPicker
---@param document table
local function take_tools(self, document)
  self.rows, self.texts, self.row_of = document.tools or {}, {}, {}
  for index, row in ipairs(self.rows) do
    local text = table.concat({ row.alias, row.name, row.summary }, ' ')
    self.texts[index] = text
    self.row_of[text] = index
  end
  local problem = (document.problems or {})[1]
  self.note = #self.rows == 0 and (problem and problem.title or 'no tools') or nil
  search(self)
  if problem and #self.rows > 0 then -- the other servers' tools are there
    require('mcp_host.notes').say_problem(problem)
  end
end

---@param self McpPicker
local function accept(self)
  local row = chosen(self)
  if row then
    close(self)
    vim.schedule(function() -- after it has closed
      require('mcp_host.keys').type_exec(row.alias, row.name)
    end)
  end
end

---@param self McpPicker
local function set_keys(self)
  local page = math.max(math.floor(self.height * HALF), 1)
  local function by(count)
    return function()
      move(self, count)
    end
  end
  local function leave()
    close(self)
  end
  local function take()
    accept(self)
  end
  local maps = {
    ['<C-n>'] = by(1),
    ['<Down>'] = by(1),
    ['<C-p>'] = by(-1),
    ['<Up>'] = by(-1),
    ['<C-d>'] = by(page),
    ['<C-u>'] = by(-page),
    ['<PageDown>'] = by(self.height),
    ['<PageUp>'] = by(-self.height),
    ['<CR>'] = take,
    ['<C-c>'] = leave,
    ['<Esc>'] = leave,
  }
  for key, act in pairs(maps) do
    vim.keymap.set({ 'i', 'n' }, key, act, { buffer = self.bufs.prompt, nowait = true, silent = true })
  end
  for key, act in pairs({ q = leave, j = by(1), k = by(-1) }) do
    vim.keymap.set('n', key, act, { buffer = self.bufs.prompt, nowait = true, silent = true })
  end
end

---@param self McpPicker
---@param places McpPickerLayout
local function open_windows(self, places)
  for _, part in ipairs({ 'list', 'card', 'prompt' }) do
    if places[part] then
      local buf = vim.api.nvim_create_buf(false, true)
      vim.bo[buf].bufhidden = 'wipe'
      vim.bo[buf].undolevels = -1
      self.bufs[part] = buf
      self.wins[part] = vim.api.nvim_open_win(buf, part == 'prompt', places[part])
      vim.wo[self.wins[part]].wrap = part == 'card'
    end
  end
  local prompt = self.bufs.prompt
  vim.b[prompt].completion = false -- completion plugins keep out of a prompt
  vim.bo[prompt].filetype = 'mcp-picker'
  vim.api.nvim_create_autocmd({ 'TextChangedI', 'TextChanged' }, {
    buffer = prompt,
    callback = function()
      search(self)
    end,
  })
  vim.api.nvim_create_autocmd('VimResized', {
    callback = function()
      relayout(self)
      return self.closed -- deletes this autocmd
    end,
  })
  vim.api.nvim_create_autocmd({ 'WinLeave', 'BufWipeout' }, {
    buffer = prompt,
    once = true,
    callback = vim.schedule_wrap(function()
      close(self)
    end),
  })
  vim.cmd.startinsert()
end

---@param alias? string nil: the tools of all servers
function M.open(alias)
  require('mcp_host.highlights').define()
  local title = 'tools' .. (alias and ' of ' .. alias or '')
  local places = require('mcp_host.picker_layout').of(title)
  ---@type McpPicker
  local self = {
    origin = windows.origin(),
    previous = vim.fn.win_getid(vim.fn.winnr('#')),
    alias = alias,
    title = title,
    rows = {},
    texts = {},
    row_of = {},
    matches = {},
    selected = 1,
    top = 1,
    height = places.list.height,
    note = 'connecting…',
    bufs = {},
    wins = {},
    closed = false,
  }
  open_windows(self, places)
  set_keys(self)
  draw(self)
  require('mcp_host.rpc').request('tools', { alias = alias, want = 'document' }, function(reply)
    if self.closed then
      return
    elseif reply.problem then
      close(self)
      return require('mcp_host.answers').show_problem(reply.problem, self.origin)
    end
    take_tools(self, reply.document or {})
  end)
end

return M
