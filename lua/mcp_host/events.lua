-- What the host reports on its own: re-emitted as User autocmds, and kept as the snapshot that completion and the
-- statusline read. Nothing here ever waits for the host.
local M = {}

---@class (exact) McpSnapshot
---@field servers table<string, string> alias -> status
---@field tools table<string, string[]>
---@field uris table<string, string[]>
---@field prompts table<string, string[]>
---@field receipts table<string, string> receipt -> state
---@field proposed table<string, { alias: string, tool: string }> receipt -> what it would run
---@field generations table<string, integer> alias -> generation of its catalog
---@field calls string[] calls under way, newest last
---@field progress table<string, McpProgress> call under way -> what it told last
---@field interactions table<string, McpInteraction> those that wait for an answer

---@return McpSnapshot
local function empty()
  return {
    servers = {},
    tools = {},
    uris = {},
    prompts = {},
    receipts = {},
    proposed = {},
    generations = {},
    calls = {},
    progress = {},
    interactions = {},
  }
end

M.snapshot = empty()

local FILE_CHARACTERS = 16 -- with which the whole note stands on a narrow screen

local started = false
local status_text = ''
local questions_seen = 0 -- the highest number that a question of this editor had, whichever host asked it

local counted_as = {
  ready = 'ready',
  starting = 'starting',
  waiting = 'starting',
  failed = 'failed',
  needs_auth = 'failed',
}

local function refresh_status()
  local count = { ready = 0, starting = 0, failed = 0, other = 0 }
  for _, status in pairs(M.snapshot.servers) do
    local kind = counted_as[status] or 'other'
    count[kind] = count[kind] + 1
  end
  local text = ('mcp %d/%d'):format(count.ready, vim.tbl_count(M.snapshot.servers))
  text = text .. (count.starting > 0 and ' …' or '') .. (count.failed > 0 and ' !' or '')
  text = text .. (next(M.snapshot.interactions) and ' ?' or '')
  if text ~= status_text then
    status_text = text
    vim.cmd.redrawstatus({ bang = true }) -- a statusline is not drawn again before a key is pressed
  end
end

---For a statusline: numbers and constant words only, computed when something changed.
---@return string
function M.status()
  return started and status_text or ''
end

---For a host that is started anew: it counts on from there, so that no two questions of this editor share a name.
---@return integer
function M.questions_seen()
  return questions_seen
end

---@param document table|nil of the verb `list`
local function learn_servers(document)
  local servers = {}
  for _, row in ipairs(document and document.servers or {}) do
    servers[row.alias] = row.status
  end
  M.snapshot.servers = servers
  started = true
  refresh_status()
end

---Ask for the servers once, so that completion and the statusline know the aliases.
function M.learn()
  require('mcp_host.rpc').request('list', { want = 'document' }, function(reply)
    if reply.document then
      learn_servers(reply.document)
    end
  end)
end

local keepers = {}

function keepers.McpServerStatus(data)
  M.snapshot.servers[data.alias] = data.status
  started = true
  refresh_status()
end

function keepers.McpCatalogChanged(data)
  M.snapshot.generations[data.alias] = data.generation
  M.snapshot.tools[data.alias] = data.tools
  M.snapshot.uris[data.alias] = data.resources
  M.snapshot.prompts[data.alias] = data.prompts
end

function keepers.McpProposal(data)
  M.snapshot.receipts[data.receipt] = 'pending'
  M.snapshot.proposed[data.receipt] = { alias = data.alias, tool = data.tool }
end

function keepers.McpReceipt(data)
  M.snapshot.receipts[data.receipt] = data.state
end

function keepers.McpCall(data)
  local calls = vim.tbl_filter(function(call)
    return call ~= data.call
  end, M.snapshot.calls)
  if data.state == 'started' then
    calls[#calls + 1] = data.call
  else
    M.snapshot.progress[data.call] = nil
    local progress = package.loaded['mcp_host.progress']
    if progress then
      progress.ended(data.call, data.state)
    end
  end
  M.snapshot.calls = calls
end

function keepers.McpProgress(data)
  if not vim.tbl_contains(M.snapshot.calls, data.call) then
    return -- one that was overtaken by the end of its call
  end
  M.snapshot.progress[data.call] = data
  if not require('mcp_host.headless').is_on() then
    require('mcp_host.progress').told(data)
  end
end

function keepers.McpInteraction(data)
  local is_open = data.state == 'open'
  questions_seen = math.max(questions_seen, tonumber(data.interaction:match('^q(%d+)$')) or 0)
  M.snapshot.interactions[data.interaction] = is_open and data or nil
  refresh_status()
  if not require('mcp_host.headless').is_on() then
    local interactions = require('mcp_host.interactions')
    if is_open then
      interactions.arrived(data)
    else
      interactions.ended(data)
    end
  end
end

function keepers.McpLog(_) end

function keepers.McpResourceUpdated(_) end

function keepers.McpDefinitions(data)
  M.snapshot.servers = data.servers
  for _, kept in ipairs({ M.snapshot.tools, M.snapshot.uris, M.snapshot.prompts, M.snapshot.generations }) do
    for alias in pairs(kept) do
      if not data.servers[alias] then
        kept[alias] = nil
      end
    end
  end
  started = true
  refresh_status()
end

function keepers.McpTrustNeeded(data)
  if not require('mcp_host.headless').is_on() then
    local notes = require('mcp_host.notes')
    local file = notes.file(tostring(data.file), FILE_CHARACTERS)
    notes.say(('project file %s wants to define servers: :McpTrust'):format(file))
  end
end

---@param event string
---@param data table
function M.receive(event, data)
  local keep = keepers[event]
  if not keep then
    return
  end
  local is_news = event ~= 'McpCatalogChanged' or M.snapshot.generations[data.alias] ~= data.generation
  keep(data)
  local buffers = package.loaded['mcp_host.buffers']
  if buffers and is_news then
    buffers.on_event(event, data)
  end
  vim.api.nvim_exec_autocmds('User', { pattern = event, modeline = false, data = data })
end

---The host's first answer was a problem: nothing will work, and every verb will say so too.
---@param problem McpProblem
function M.host_refused(problem)
  if not require('mcp_host.headless').is_on() then
    require('mcp_host.notes').say_problem(problem)
  end
end

function M.host_ended()
  M.snapshot = empty()
  started = false
  for _, name in ipairs({ 'mcp_host.proposal', 'mcp_host.interactions', 'mcp_host.progress' }) do
    local told = package.loaded[name]
    if told then
      told.host_ended()
    end
  end
  vim.cmd.redrawstatus()
end

---@param event string
---@return boolean
function M.is_known(event)
  return keepers[event] ~= nil
end

return M
