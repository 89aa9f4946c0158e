-- The buffer that a definition is written in: TOML to fill in, and `:write` adds it. It leaves nothing on the disk, no
-- swap or undo file either: somebody may paste a secret before being told to name it.
local notes = require('mcp_host.notes')
local review = require('mcp_host.review')

local M = {}

-- Constants only: a winbar evaluates what it is given.
local WINBAR = {
  user = ' %#McpEffectHost#NEW SERVER%* :write checks this and adds it to the user file, :quit! drops it',
  project = ' %#McpEffectHost#NEW SERVER%* :write checks this and adds it to the project file, :quit! drops it',
  session = ' %#McpEffectHost#NEW SERVER%* :write checks this and adds it for this session, :quit! drops it',
}
local GLOBAL_UNDOLEVELS = -123456 -- what a buffer-local 'undolevels' is that says nothing

---@class (exact) McpTemplateState
---@field name string
---@field layer "user"|"project"|"session"
---@field is_there boolean there is a text to write
---@field sent string|nil the text that is on its way

local states = {} ---@type table<integer, McpTemplateState>

---@param buf integer
local function draw(buf)
  for _, win in ipairs(states[buf] and vim.fn.win_findbuf(buf) or {}) do
    vim.api.nvim_set_option_value('winbar', WINBAR[states[buf].layer], { scope = 'local', win = win })
  end
end

---The template is there: from now on it is the person's text.
---@param buf integer
function M.drawn(buf)
  states[buf].is_there = true
  local options = vim.bo[buf]
  options.modifiable = true
  options.undolevels = GLOBAL_UNDOLEVELS
  options.modified = false
  draw(buf)
end

-- It has become a server: the list of them takes its place.
---@param buf integer
local function give_way(buf)
  vim.bo[buf].modified = false
  local wins = vim.fn.win_findbuf(buf)
  if #wins > 0 then
    local servers = require('mcp_host.buffers').open('mcp://servers')
    for _, win in ipairs(wins) do
      pcall(vim.api.nvim_win_set_buf, win, servers)
    end
  end
  require('mcp_host.buffers').discard(buf)
end

---@param buf integer
---@param problem McpProblem|nil
local function on_done(buf, problem)
  local state = states[buf]
  if not state then
    return
  end
  local is_whole = review.text_of(buf) == state.sent
  state.sent = nil
  if not problem and is_whole then
    give_way(buf)
  end
end

---@param buf integer
local function on_write(buf)
  local state = states[buf]
  if not state or not state.is_there then
    return notes.say('there is nothing to add here yet.', 'WarningMsg')
  elseif state.sent then
    return notes.say('it is being added.', 'WarningMsg')
  end
  state.sent = review.text_of(buf)
  vim.bo[buf].modified = true -- neither `:wq` nor `:qall` leaves it before the answer
  require('mcp_host.adding').write({ toml = state.sent .. '\n', layer = state.layer }, function(problem)
    on_done(buf, problem)
  end)
end

---@param buf integer
---@param address McpAddress
function M.attach(buf, address)
  if states[buf] then
    states[buf].is_there = false
    return draw(buf)
  end
  states[buf] = { name = address.name, layer = address.params.layer or 'user', is_there = false }
  review.on_write(buf, address.name, 'Nothing was added.', on_write)
  vim.api.nvim_create_autocmd('BufWinEnter', {
    buffer = buf,
    callback = function()
      draw(buf)
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      states[buf] = nil
    end,
  })
end

return M
