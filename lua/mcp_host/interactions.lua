-- What becomes of a server's question when it arrives: it is shown, and entered only by somebody who still stands where
-- the command that caused it was given. Whoever is in the middle of something is told in one line, and sees it later.
local buffers = require('mcp_host.buffers')
local names = require('mcp_host.names')
local notes = require('mcp_host.notes')
local windows = require('mcp_host.windows')

local M = {}

local GROUP = 'mcp_host_questions'

local waiting = {} ---@type table<string, McpInteraction> those to be shown once nobody is in the middle of anything
local show_waiting ---@type fun()

---@param asked McpInteraction
---@return string
function M.subject(asked)
  return asked.tool and ('%s.%s'):format(asked.alias, asked.tool) or asked.alias
end

---@param asked McpInteraction
---@param where string
local function say(asked, where)
  notes.say(('%s asks you something%s'):format(M.subject(asked), where), 'WarningMsg')
end

-- Insert mode, an operator, a command line, the command-line window: all of them end.
---@param asked McpInteraction
local function show_later(asked)
  if not next(waiting) then
    local group = vim.api.nvim_create_augroup(GROUP, { clear = true })
    vim.api.nvim_create_autocmd({ 'ModeChanged', 'CmdwinLeave', 'CursorMoved' }, {
      group = group,
      desc = 'Show what servers asked meanwhile',
      callback = vim.schedule_wrap(show_waiting),
    })
  end
  waiting[asked.interaction] = asked
end

---@param asked McpInteraction
---@return boolean
local function is_open(asked)
  return require('mcp_host.events').snapshot.interactions[asked.interaction] ~= nil
end

-- Somebody opened it from the queue.
---@param name string
---@return boolean
local function is_shown(name)
  local buf = buffers.find(name)
  if buf and require('mcp_host.interaction').is_over(buf) then
    require('mcp_host.interaction').give_way(buf)
    return false
  end
  return buf ~= nil
end

---@param asked McpInteraction
---@param buf integer filled
---@param origin McpOrigin|nil
local function place(asked, buf, origin)
  local win, entered = windows.show_proposal(buf, origin)
  if not win then
    say(asked, ': :McpInteractions')
  else
    require('mcp_host.interaction').opened(buf, win)
    say(asked, entered and '' or ' in the window below')
  end
end

---@param asked McpInteraction
---@param origin McpOrigin|nil
local function show(asked, origin)
  local name = names.interaction(asked.interaction)
  if is_shown(name) then
    return
  end
  local buf = buffers.unnamed()
  local writer = buffers.writer(buf)
  local params = { interaction = asked.interaction, want = 'view' }
  require('mcp_host.rpc').request('interaction', params, function(reply)
    if reply.problem or not is_open(asked) or is_shown(name) then
      return buffers.discard(buf)
    elseif not windows.is_idle() then
      buffers.discard(buf)
      return M.arrived(asked)
    end
    buffers.name(buf, name)
    place(asked, buf, origin)
    writer.finish(reply.view, reply.host)
  end, { on_lines = writer.lines })
end

function show_waiting()
  if not windows.is_idle() then
    return
  end
  pcall(vim.api.nvim_del_augroup_by_name, GROUP)
  local due = waiting
  waiting = {}
  for _, asked in vim.spairs(due) do
    show(asked, nil)
  end
end

---@param asked McpInteraction
function M.arrived(asked)
  if windows.is_idle() then
    return show(asked, require('mcp_host.origins').find(asked.alias, asked.tool))
  end
  say(asked, ': :McpInteractions')
  show_later(asked)
end

---@param asked McpInteraction
function M.ended(asked)
  waiting[asked.interaction] = nil
  local interaction = package.loaded['mcp_host.interaction']
  if interaction then
    interaction.on_state(asked.interaction, asked.state)
  end
end

---The questions ended with the host.
function M.host_ended()
  waiting = {}
  local interaction = package.loaded['mcp_host.interaction']
  if interaction then
    interaction.host_ended()
  end
end

return M
