-- The way back: whoever came into a window that waits for a verdict goes back where they came from when it closes.
-- Left to the editor, the cursor falls into a neighbour, where a `:write` could say yes to what nobody went to.
local M = {}

local came_from = {} ---@type table<integer, integer> buffer -> window

---@param win integer
---@return boolean
local function waits_for_verdict(win)
  return require('mcp_host.review').is_attached(vim.api.nvim_win_get_buf(win))
end

---@param win integer
---@return boolean
local function is_ours(win)
  return require('mcp_host.buffers').state(vim.api.nvim_win_get_buf(win)) ~= nil
end

-- Somebody's own window is better than one of ours, and no window that waits for a verdict is gone back to.
---@param buf integer
local function remember(buf)
  local number = vim.fn.winnr('#')
  local previous = number > 0 and vim.fn.win_getid(number) or 0
  if previous == 0 or vim.api.nvim_win_get_buf(previous) == buf then
    return
  end
  local known = came_from[buf]
  if waits_for_verdict(previous) then
    came_from[buf] = known or came_from[vim.api.nvim_win_get_buf(previous)]
  elseif not is_ours(previous) or not (known and vim.api.nvim_win_is_valid(known)) then
    came_from[buf] = previous
  end
end

---@param known integer|nil
---@return integer|nil nil: all windows here wait for a verdict
local function destination(known)
  if known and vim.api.nvim_win_is_valid(known) and not waits_for_verdict(known) then
    return known
  end
  local found ---@type integer|nil
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_config(win).relative == '' and not waits_for_verdict(win) then
      if not is_ours(win) then
        return win
      end
      found = found or win
    end
  end
  return found
end

---@param known integer|nil
local function go(known)
  local win = destination(known)
  if win then
    pcall(vim.api.nvim_set_current_win, win)
  end
end

---A window that shows this buffer, in which somebody stands, is about to be closed by us.
---@param buf integer
function M.leave(buf)
  go(came_from[buf])
end

-- Somebody who stood in it has closed its window.
---@param buf integer
---@param known integer|nil
---@param tab integer
local function closed(buf, known, tab)
  local here = vim.api.nvim_get_current_win()
  if vim.api.nvim_win_get_buf(here) == buf then
    return -- it is in another window, too
  end
  local is_beside = vim.api.nvim_get_current_tabpage() == tab and is_ours(here)
  if is_beside and require('mcp_host.windows').is_idle() then
    go(known)
  end
  require('mcp_host.review').landed(vim.api.nvim_get_current_buf())
end

---@param buf integer
function M.attach(buf)
  vim.api.nvim_create_autocmd({ 'BufEnter', 'WinEnter' }, {
    buffer = buf,
    callback = function()
      remember(buf)
    end,
  })
  vim.api.nvim_create_autocmd('WinClosed', {
    buffer = buf,
    callback = function(event)
      if tonumber(event.match) == vim.api.nvim_get_current_win() then
        local known, tab = came_from[buf], vim.api.nvim_get_current_tabpage()
        vim.schedule(function()
          closed(buf, known, tab)
        end)
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      came_from[buf] = nil
    end,
  })
end

return M
