-- The keys of our own buffers. There is no global map; each key is a buffer-local map to a buffer-local <Plug>.
local M = {}

local KEYS_LINE = '<CR> use the line  K card of a tool  R reload  q close  g? keys'
---What `g?` says where it is another line.
local KEYS_LINES = {
  proposal = ':write run once  :quit discard  :write FILE save a copy  <CR> use the line  g? keys',
  trust = ':write approve  :quit leave  :write FILE save a copy  R reload',
  candidates = '<CR> add to the user file  R show again  q close  g? keys',
  interaction = ':write answer  :McpDecline no  :quit cancel  ]] [[ fields  gx open  :edit! anew',
  interactions = '<CR> open the question  R reload  q close  g? keys',
}

---In a text that is typed in, most keys are the editor's own.
local LEFT_ALONE = {
  proposal = { R = true },
  interaction = { R = true, q = true, K = true, ['<CR>'] = true },
}

local typed = nil ---@type { text: string, position: integer }|nil the command line about to be written

---Used from the command line only: replaces it with text that is never read as keys or as a command.
---@return string
function M.take_typed()
  local line = typed
  typed = nil
  if not line then
    return ''
  end
  vim.fn.setcmdpos(line.position)
  return line.text
end

---Open a command line with this text in it; nothing is executed.
---@param before string left of the cursor
---@param after string
function M.type_command(before, after)
  if not require('mcp_host.visible').is_safe(before .. after) then
    return require('mcp_host.notes').say('that name cannot be typed in a command line; use the Lua API.', 'ErrorMsg')
  end
  typed = { text = before .. after, position = #before + 1 }
  local keys = vim.keycode([[:<C-\>eluaeval("require('mcp_host.keys').take_typed()")<CR>]])
  vim.api.nvim_feedkeys(keys, 'n', false)
end

---@param alias string
---@param tool string
function M.type_exec(alias, tool)
  if tool:find('%s') then
    return require('mcp_host.notes').say('that name cannot be typed in a command line; use the Lua API.', 'ErrorMsg')
  end
  M.type_command(('McpExec %s %s {'):format(alias, tool), '}')
end

---A file that the host saved. An autocommand of the plugin keeps modelines in it from acting.
---@param path string
local function open_path(path)
  local buf = vim.fn.bufadd(path)
  pcall(vim.fn.bufload, buf)
  vim.bo[buf].buflisted = true
  require('mcp_host.windows').enter(buf)
end

---@param name string
local function enter(name)
  require('mcp_host.windows').enter(require('mcp_host.buffers').open(name))
end

local names = require('mcp_host.names')

---@type table<McpItemKind, fun(item: McpItem)>
local uses = {
  tool = function(item)
    M.type_exec(item.alias, item.name)
  end,
  template = function(item)
    M.type_command(('McpRead %s %s'):format(item.alias, item.name), '')
  end,
  prompt = function(item)
    M.type_command(('McpPrompt %s %s {'):format(item.alias, item.name), '}')
  end,
  server = function(item)
    enter(names.of(type(item.alias) == 'string' and item.alias or item.name, 'survey'))
  end,
  resource = function(item)
    enter(names.of(item.alias, 'resource', item.name))
  end,
  receipt = function(item)
    enter(names.proposal(item.name))
  end,
  interaction = function(item)
    enter(names.interaction(item.name))
  end,
  path = function(item)
    open_path(item.name)
  end,
  link = function(item)
    if type(item.alias) == 'string' then
      enter(names.of(item.alias, 'resource', item.name))
    end
  end,
  candidate = function(item)
    require('mcp_host.adding').take(vim.api.nvim_get_current_buf(), item.name)
  end,
  layer = function(item)
    if item.name == 'project' then
      enter('mcp://trust')
    end
  end,
}

---@return McpItem|nil
local function item_here()
  return require('mcp_host.buffers').item(vim.api.nvim_get_current_buf())
end

local function use_item()
  local item = item_here()
  if item and uses[item.kind] then
    uses[item.kind](item)
  end
end

local function show_card()
  local item = item_here()
  if not item or item.kind ~= 'tool' then
    return
  end
  local name = names.of(item.alias, 'tool', item.name)
  require('mcp_host.windows').float(require('mcp_host.buffers').open(name), 'tool')
end

local function close()
  require('mcp_host.windows').close(vim.api.nvim_get_current_win())
end

local function reload()
  local buf = vim.api.nvim_get_current_buf()
  if vim.api.nvim_buf_get_name(buf) ~= '' then
    vim.cmd.edit()
  end
end

---@param buf integer
---@param kind string of its address, empty while it has none
function M.attach(buf, kind)
  if kind == 'add' then
    return -- a text to type in
  end
  local maps = {
    { '<CR>', '<Plug>(McpItem)', use_item },
    { 'K', '<Plug>(McpCard)', show_card },
    { 'q', '<Plug>(McpClose)', close },
    { 'R', '<Plug>(McpReload)', reload },
    {
      'g?',
      '<Plug>(McpKeys)',
      function()
        require('mcp_host.notes').say(KEYS_LINES[kind] or KEYS_LINE)
      end,
    },
  }
  for _, map in ipairs(maps) do
    local key, plug, act = unpack(map)
    vim.keymap.set('n', plug, act, { buffer = buf, silent = true })
    if not (LEFT_ALONE[kind] or {})[key] and not vim.g.no_mcp_host_maps then
      vim.keymap.set('n', key, plug, { buffer = buf, remap = true, silent = true })
    end
  end
end

return M
