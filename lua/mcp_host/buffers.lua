-- The mcp:// buffers: options first, lines as they arrive, filetype last.
-- A buffer holds what a server said, or a secret that somebody is about to name: no modeline, swap file or undo file is
-- possible in any of them, and an edit only where somebody writes a definition.
local names = require('mcp_host.names')

local M = {}

local REFRESH_MS = 60
local PROGRESS_MS = 250 -- nobody reads numbers that change faster

---Kinds of buffers whose `:write` means something, and who says what.
local OWNERS = {
  proposal = 'mcp_host.proposal',
  interaction = 'mcp_host.interaction',
  trust = 'mcp_host.trust',
  add = 'mcp_host.template',
}
-- What is out of sight is no longer being looked at.
local BUFHIDDEN = { proposal = 'wipe', interaction = 'wipe', trust = 'wipe' }

local KEPT = { proposal = true, interaction = true } -- opened again they are what they were

local load ---@type fun(buf: integer, address: McpAddress, more?: table<string, any>)
local states = {} ---@type table<integer, McpBufferState>
local remembered = {} ---@type table<string, table<string, any>> parameters that do not stand in the name
local asked_from = nil ---@type McpOrigin|nil where somebody stands who opens a buffer: loading it may go elsewhere

---@param buf integer
---@return McpBufferState|nil
function M.state(buf)
  return states[buf]
end

---@param address McpAddress|nil
---@return McpBufferOwner|nil
local function owner_of(address)
  return address and OWNERS[address.kind] and require(OWNERS[address.kind]) or nil
end

---@param win integer
---@return table view for `winrestview`
local function view_of(win)
  local row, column = unpack(vim.api.nvim_win_get_cursor(win))
  return { lnum = row, col = column, topline = vim.fn.getwininfo(win)[1].topline }
end

---@param buf integer
local function watch(buf)
  vim.api.nvim_create_autocmd('BufWinEnter', {
    buffer = buf,
    callback = function()
      require('mcp_host.windows').dress(buf)
      local state = states[buf]
      if state and state.is_stale and state.address then
        state.is_stale = nil
        load(buf, state.address)
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    callback = function()
      local state = states[buf]
      for _, win in ipairs(state and vim.fn.win_findbuf(buf) or {}) do
        state.views[win] = view_of(win)
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      states[buf] = nil
    end,
  })
end

---@param buf integer
---@param address McpAddress|nil
local function prepare(buf, address)
  local owner, kind = owner_of(address), address and address.kind or ''
  local options = vim.bo[buf]
  options.modeline = false
  options.swapfile = false
  options.undofile = false
  options.undolevels = -1
  options.buftype = owner and 'acwrite' or 'nofile'
  options.bufhidden = BUFHIDDEN[kind] or 'hide'
  require('mcp_host.highlights').define()
  local state = states[buf]
  if not state then
    state = { address = address, items = {}, load = 0, views = {} }
    states[buf] = state
    watch(buf)
  end
  state.address = address
  require('mcp_host.keys').attach(buf, kind)
  if address and owner then
    owner.attach(buf, address)
  end
end

---A buffer of ours holds the whole of its answer.
---@param buf integer
---@param host table|nil the document's `host` member
function M.drawn(buf, host)
  local owner = states[buf] and owner_of(states[buf].address)
  if owner then
    owner.drawn(buf, type(host) == 'table' and host or {})
  end
end

---Fill a buffer of ours anew.
---@param buf integer
---@return McpWriter
function M.writer(buf)
  return require('mcp_host.writer').of(buf, assert(states[buf], 'not a buffer of ours'))
end

---@param address McpAddress
---@return fun() over
local function begin_to_ask(address)
  local params = address.params
  local origin = asked_from or require('mcp_host.windows').origin()
  return require('mcp_host.origins').begin(origin, params.alias, params.uri or params.prompt)
end

---@param buf integer
---@param address McpAddress
---@param more? table<string, any> further parameters, for this once
function load(buf, address, more)
  require('mcp_host.review').reset(buf)
  local writer = M.writer(buf)
  local over = begin_to_ask(address)
  local known = remembered[address.name] or {}
  local params = vim.tbl_extend('force', address.params, known, more or {}, { want = 'view' })
  assert(states[buf]).is_changed = nil
  require('mcp_host.rpc').request(address.verb, params, function(reply)
    over()
    if reply.problem then
      writer.problem(reply.problem)
    else
      writer.finish(reply.view, reply.host)
    end
  end, { on_lines = writer.lines })
end

---The BufReadCmd of `mcp://*`.
---@param buf integer
---@param name string
function M.read(buf, name)
  local address = names.parse(name)
  local is_known = states[buf] ~= nil
  prepare(buf, address)
  local owner = owner_of(address)
  if owner and owner.restored and vim.g.SessionLoad == 1 then
    return M.writer(buf).problem(owner.restored(buf))
  elseif address then
    local is_read_again = is_known and address.kind == 'resource'
    return load(buf, address, is_read_again and { fresh = true } or nil)
  end
  local notes = require('mcp_host.notes')
  M.writer(buf).problem(notes.usage('This is not the name of an MCP buffer.', 'See :help mcp-host-buffers.'))
end

---A session restores the names of these buffers and not what they hold: the visible ones are filled.
function M.restore()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buf)
    if vim.startswith(name, 'mcp://') and not states[buf] and #vim.fn.win_findbuf(buf) > 0 then
      M.read(buf, name)
    end
  end
end

---A loaded buffer of that name. One that was loaded before is filled anew.
---@param name string
---@param params? table<string, any> parameters beside those in the name
---@return integer buf
function M.open(name, params)
  remembered[name] = params
  asked_from = require('mcp_host.windows').origin()
  local buf = vim.fn.bufadd(name)
  if vim.api.nvim_buf_is_loaded(buf) and states[buf] then
    local address = states[buf].address
    if address and not KEPT[address.kind] and not vim.bo[buf].modified then
      load(buf, address)
    end
  else
    vim.fn.bufload(buf)
  end
  asked_from = nil
  return buf
end

---A buffer without a name yet, for an answer that names itself at its end.
---@return integer buf
function M.unnamed()
  local buf = vim.api.nvim_create_buf(false, true)
  prepare(buf, nil)
  return buf
end

---@param buf integer
function M.discard(buf)
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_delete(buf, { force = true })
  end
end

---@param name string compared as a whole: `bufnr()` would read it as a pattern
---@return integer|nil
function M.find(name)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf) == name then
      return buf
    end
  end
  return nil
end

---Give an unnamed buffer its name, in the place of an older buffer with that name.
---@param buf integer
---@param name string
function M.name(buf, name)
  local older = M.find(name)
  if older and older ~= buf then
    for _, win in ipairs(vim.fn.win_findbuf(older)) do
      pcall(vim.api.nvim_win_set_buf, win, buf)
    end
    M.discard(older)
  end
  vim.api.nvim_buf_set_name(buf, name)
  prepare(buf, names.parse(name))
end

---@param buf integer
---@return McpItem|nil
function M.item(buf)
  local state = states[buf]
  return state and state.items[vim.api.nvim_win_get_cursor(0)[1] - 1]
end

---Lines were put above (or taken from above) the ones that stand for something.
---@param buf integer
---@param by integer
function M.shift_items(buf, by)
  local state = assert(states[buf])
  local shifted = {}
  for row, item in pairs(state.items) do
    shifted[row + by] = item
  end
  state.items = shifted
end

---Fill a buffer anew; its windows keep their place in it.
---@param buf integer
function M.reload(buf)
  local state = states[buf]
  if not state or not state.address or not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    state.views[win] = view_of(win)
  end
  load(buf, state.address)
end

local refreshing = {} ---@type table<string, boolean>

-- A visible list follows what it lists.
---@param name string
---@param after_ms integer
local function refresh(name, after_ms)
  if refreshing[name] then
    return
  end
  refreshing[name] = true
  vim.defer_fn(function()
    refreshing[name] = nil
    for buf, state in pairs(states) do
      if state.address and state.address.name == name then
        state.is_stale = #vim.fn.win_findbuf(buf) == 0 or nil -- one that nobody sees is filled when it is shown again
        if not state.is_stale then
          M.reload(buf)
        end
      end
    end
  end, after_ms)
end

-- It is not read again by itself: whoever reads it would lose the place.
---@param name string of a resource
local function mark_changed(name)
  for buf, state in pairs(states) do
    if state.address and state.address.name == name then
      state.is_changed = true
      require('mcp_host.windows').dress(buf)
    end
  end
end

---What each event makes out of date.
local LISTS = {
  McpServerStatus = { 'mcp://servers' },
  McpCatalogChanged = { 'mcp://servers' },
  McpDefinitions = { 'mcp://servers' },
  McpTrustNeeded = { 'mcp://servers' },
  McpProposal = { 'mcp://proposals' },
  McpReceipt = { 'mcp://proposals' },
  McpInteraction = { 'mcp://interactions' },
  McpCall = { 'mcp://servers' },
  McpProgress = { 'mcp://servers' },
}

---@param event string
---@param data table
function M.on_event(event, data)
  for _, name in ipairs(LISTS[event] or {}) do
    refresh(name, event == 'McpProgress' and PROGRESS_MS or REFRESH_MS)
  end
  if event == 'McpResourceUpdated' then
    mark_changed(names.of(data.alias, 'resource', data.uri))
  end
  local proposal = package.loaded['mcp_host.proposal']
  if event == 'McpReceipt' and proposal then
    proposal.on_receipt(data.receipt, data.state)
  end
  local trust = package.loaded['mcp_host.trust']
  if event == 'McpTrustNeeded' and trust then
    trust.on_new_text(data.digest)
  elseif event == 'McpDefinitions' and trust then
    trust.on_definitions()
  end
end

return M
