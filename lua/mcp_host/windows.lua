-- Where things open. Nothing steals the focus: results go to one window a tabpage without entering it, a proposal is
-- entered only by somebody who still stands where the command was given.
local M = {}

local RESULT_PART = 0.4 -- of the screen's lines, at most
local PROPOSAL_PART = 0.7 -- what is reviewed should be seen whole
local MIN_HEIGHT = 3

---@return McpOrigin
function M.origin()
  return {
    win = vim.api.nvim_get_current_win(),
    buf = vim.api.nvim_get_current_buf(),
    tab = vim.api.nvim_get_current_tabpage(),
  }
end

---Whether somebody is in the middle of nothing: Normal mode, no command half typed.
---@return boolean
function M.is_idle()
  local mode = vim.api.nvim_get_mode().mode
  return (mode == 'n' or mode == 'nt') and vim.fn.getcmdwintype() == '' and vim.fn.state('mo') == ''
end

---@param origin McpOrigin
---@return boolean
local function is_still_there(origin)
  return vim.api.nvim_get_current_win() == origin.win and vim.api.nvim_get_current_buf() == origin.buf and M.is_idle()
end

---@param win integer
---@return boolean
local function is_floating(win)
  return vim.api.nvim_win_get_config(win).relative ~= ''
end

-- Whoever opened something of their own in that window keeps it.
---@param buf integer
---@return boolean
local function is_result(buf)
  return vim.bo[buf].buftype == 'nofile' and require('mcp_host.buffers').state(buf) ~= nil
end

---@param tab integer
---@return integer|nil
local function result_window(tab)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    if vim.w[win].mcp_host_result and is_result(vim.api.nvim_win_get_buf(win)) then
      return win
    end
  end
  return nil
end

---@param buf integer
---@param part number of the screen's lines
---@return integer
local function wanted_height(buf, part)
  local most = math.max(math.floor(vim.o.lines * part), MIN_HEIGHT)
  return math.max(math.min(vim.api.nvim_buf_line_count(buf) + 1, most), MIN_HEIGHT)
end

---@param tab integer
---@return integer -1 for the whole tabpage, else a window to split
local function base_window(tab)
  if tab == vim.api.nvim_get_current_tabpage() then
    return -1
  end
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    if not is_floating(win) then
      return win
    end
  end
  return -1
end

---@param tab integer
---@return table<integer, integer> heights of those that wait for a verdict: somebody reads there, or fills in
---@return integer tallest of the others
local function heights(tab)
  local waiting, tallest = {}, 0
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    local height = is_floating(win) and 0 or vim.api.nvim_win_get_height(win)
    if height > 0 and require('mcp_host.review').is_attached(vim.api.nvim_win_get_buf(win)) then
      waiting[win] = height
    else
      tallest = math.max(tallest, height)
    end
  end
  return waiting, tallest
end

-- The editor takes rows from the nearest windows first.
---@param new integer
---@param waiting table<integer, integer>
local function give_back(new, waiting)
  local is_fixed = vim.wo[new][0].winfixheight
  vim.wo[new][0].winfixheight = true
  for win, height in pairs(waiting) do
    if vim.api.nvim_win_get_height(win) < height then
      vim.api.nvim_win_set_height(win, height)
    end
  end
  vim.wo[new][0].winfixheight = is_fixed
  if vim.api.nvim_win_get_height(new) < MIN_HEIGHT then
    vim.api.nvim_win_set_height(new, MIN_HEIGHT)
  end
end

---@param buf integer
---@param tab integer
---@param height integer
---@param enter boolean else it takes no rows from what waits for a verdict, as far as there are others
---@return integer|nil win nil where the editor allows no window now (command-line window)
local function split_below(buf, tab, height, enter)
  local waiting, tallest = heights(tab)
  if not enter and next(waiting) then
    height = math.max(math.min(height, math.floor(tallest / 2)), MIN_HEIGHT)
  end
  local config = { split = 'below', win = base_window(tab), height = height }
  local opened, win = pcall(vim.api.nvim_open_win, buf, false, config)
  if not opened then
    return nil
  end
  vim.api.nvim_win_set_height(win, height) -- 'equalalways' has just made all windows the same
  if not enter then
    give_back(win, waiting)
  end
  return win
end

local LISTS = { ['mcp-survey'] = true, ['mcp-proposals'] = true, ['mcp-interactions'] = true }
local DECISIONS = { ['mcp-trust'] = true, ['mcp-proposal'] = true, ['mcp-candidates'] = true }
-- Constants only: a winbar evaluates what it is given.
local CHANGED = ' %#McpEffectHost#CHANGED%* at the server: R reads it again'

---Lists keep their columns; everything else is read, so it wraps at words.
---@param buf integer
function M.dress(buf)
  local state = require('mcp_host.buffers').state(buf)
  local kind = state and state.address and state.address.kind
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local options = vim.wo[win][0]
    options.wrap = not LISTS[vim.bo[buf].filetype]
    options.linebreak = true
    options.breakindent = true
    options.foldenable = false -- what is folded is not seen, and any text can bring marks to fold by
    -- Where a decision hangs on the text, a long line that is wrapped must not pass for a line of ours.
    local is_decision = DECISIONS[vim.bo[buf].filetype] or kind == 'interaction'
    options.showbreak = is_decision and '↪ ' or ''
    if kind == 'resource' then
      options.winbar = state and state.is_changed and CHANGED or ''
    end
  end
end

---@param win integer
function M.mark_result(win)
  vim.w[win].mcp_host_result = true
  vim.wo[win][0].winfixheight = false -- a proposal may have stood there
end

---@param buf integer
---@param origin McpOrigin
---@return integer|nil win
function M.show_result(buf, origin)
  local tab = vim.api.nvim_tabpage_is_valid(origin.tab) and origin.tab or vim.api.nvim_get_current_tabpage()
  local win = result_window(tab)
  if win and pcall(vim.api.nvim_win_set_buf, win, buf) then
    return win
  end
  win = split_below(buf, tab, wanted_height(buf, RESULT_PART), false)
  if win then
    M.mark_result(win)
  end
  return win
end

-- It was shown beside somebody who went on with something else, in what room there was.
---@param win integer
---@param buf integer
local function grow_when_entered(win, buf)
  local id ---@type integer
  id = vim.api.nvim_create_autocmd('WinEnter', {
    buffer = buf,
    callback = vim.schedule_wrap(function()
      if vim.api.nvim_get_current_win() == win and vim.api.nvim_get_current_buf() == buf then
        pcall(vim.api.nvim_del_autocmd, id)
        local height = wanted_height(buf, PROPOSAL_PART)
        vim.api.nvim_win_set_height(win, math.max(vim.api.nvim_win_get_height(win), height))
      end
    end),
  })
end

---@param buf integer
---@param origin McpOrigin|nil nil: nobody stands where it could be entered from
---@return integer|nil win
---@return boolean entered
function M.show_proposal(buf, origin)
  local is_there = origin ~= nil and vim.api.nvim_tabpage_is_valid(origin.tab)
  local tab = is_there and assert(origin).tab or vim.api.nvim_get_current_tabpage()
  local enter = origin ~= nil and is_still_there(origin)
  local win = split_below(buf, tab, wanted_height(buf, PROPOSAL_PART), enter)
  if win then
    vim.wo[win][0].winfixheight = true
  end
  if win and enter then
    vim.api.nvim_set_current_win(win)
  elseif win then
    grow_when_entered(win, buf)
  end
  return win, enter and win ~= nil
end

---@param buf integer
---@return boolean
local function may_give_way(buf)
  local name, buftype = vim.api.nvim_buf_get_name(buf), vim.bo[buf].buftype
  if vim.startswith(name, 'mcp://') then
    -- Leaving a proposal discards it, and a template is somebody's text; leaving what may be trusted says nothing.
    return buftype == 'nofile' or (name == 'mcp://trust' and not vim.bo[buf].modified)
  end
  return name == '' and buftype == '' and not vim.bo[buf].modified
end

---The person asked for this buffer: it is entered, in place of one of ours or of an empty buffer, else in a split.
---@param buf integer
function M.enter(buf)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(win) == buf and not is_floating(win) then
      return vim.api.nvim_set_current_win(win)
    end
  end
  if may_give_way(vim.api.nvim_get_current_buf()) and not is_floating(0) then
    if pcall(vim.api.nvim_win_set_buf, 0, buf) then
      vim.w.mcp_host_result = nil -- it shows what was asked for now, so no result may replace it
      return
    end
  end
  vim.api.nvim_open_win(buf, true, { split = 'below', win = is_floating(0) and -1 or 0 })
end

---An answer to what somebody asked for, which took its time: entered if they still stand where they asked, else shown
---as a result.
---@param buf integer
---@param origin McpOrigin
function M.show_answer(buf, origin)
  if is_still_there(origin) then
    M.enter(buf)
  else
    M.show_result(buf, origin)
  end
end

---@return string|nil nil: 'winborder' decides
function M.border()
  local chosen = vim.fn.exists('+winborder') == 1 and vim.o.winborder ~= ''
  return not chosen and 'rounded' or nil
end

---@param text string shown as a chunk: a title given as a string reaches the terminal raw
---@return [string, string][]|nil
function M.title(text)
  if vim.fn.exists('+winborder') == 1 and vim.o.winborder == 'none' then
    return nil
  end
  return { { ' ' .. text .. ' ', 'McpTitle' } }
end

---A float in the middle, entered, for looking something up.
---@param buf integer
---@param title string
---@return integer win
function M.float(buf, title)
  local columns, lines = vim.o.columns, vim.o.lines - vim.o.cmdheight
  local width = math.min(math.max(columns - 8, 20), 100)
  local height = math.max(math.floor(lines * 0.7), MIN_HEIGHT)
  return vim.api.nvim_open_win(buf, true, {
    relative = 'editor',
    style = 'minimal',
    width = width,
    height = height,
    row = math.max(math.floor((lines - height) / 2) - 1, 0),
    col = math.max(math.floor((columns - width) / 2) - 1, 0),
    border = M.border(),
    title = M.title(title),
  })
end

---@param win integer
function M.close(win)
  if pcall(vim.api.nvim_win_close, win, false) then
    return
  elseif vim.bo[vim.api.nvim_win_get_buf(win)].modified then
    return require('mcp_host.notes').say('it is being executed, or was changed; :quit! leaves it.', 'WarningMsg')
  end
  -- The last window: leave the buffer instead.
  local other = vim.fn.bufnr('#')
  if other < 1 or not vim.api.nvim_buf_is_loaded(other) or other == vim.api.nvim_win_get_buf(win) then
    other = vim.api.nvim_create_buf(true, false)
  end
  vim.api.nvim_win_set_buf(win, other)
end

return M
