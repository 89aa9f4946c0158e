-- Adding and removing definitions for a person, and what is said when it is done.
local files = require('mcp_host.definition_files')
local notes = require('mcp_host.notes')

local M = {}

local FILE_CHARACTERS = 24 -- of a path in a note: `~/.config/nvim/mcp.toml` and one more

---@param defined table what has a `file` and a `line`: the document's `added`, `removed` or a row of the list
---@return string
local function place_of(defined)
  if type(defined.file) ~= 'string' then
    return 'this session'
  end
  local file = notes.file(defined.file, FILE_CHARACTERS)
  return type(defined.line) == 'number' and ('%s:%d'):format(file, defined.line) or file
end

---@param written table the document's `added` or `removed`
---@return string what a note ends with where nobody has approved the project file that was written
local function waiting_note(written)
  return written.waits == true and '; it waits for :McpTrust' or ''
end

---@param added table the document's `added`
---@return string
local function added_note(added)
  local names = {}
  for _, secret in ipairs(type(added.secrets) == 'table' and added.secrets or {}) do
    names[#names + 1] = tostring(secret.reference)
  end
  local todo = #names > 0 and ('; set %s for it'):format(table.concat(names, ', ')) or ''
  return ('%s added: %s%s%s'):format(added.alias, place_of(added), waiting_note(added), todo)
end

---Send the verb, unless the file that it writes to has unsaved changes here.
---@param verb "add"|"remove"
---@param params table<string, any>
---@param on_reply fun(reply: McpReply)
function M.send(verb, params, on_reply)
  local problem = files.objection(params.layer or (verb == 'add' and 'user' or nil))
  if problem then
    return vim.schedule(function()
      on_reply({ problem = problem, exit = 2 })
    end)
  end
  params.want = 'document'
  require('mcp_host.rpc').request(verb, params, function(reply)
    local document = reply.document or {}
    local written = document.added or document.removed
    if written then
      files.refresh(written.file)
    end
    on_reply(reply)
  end)
end

local shown = nil ---@type integer|nil the buffer of the last problem: it goes when the next attempt succeeds

---@param verb "add"|"remove"
---@param params table<string, any>
---@param on_done fun(problem: McpProblem|nil)
---@param say fun(document: table): string
local function write(verb, params, on_done, say)
  local origin = require('mcp_host.windows').origin()
  M.send(verb, params, function(reply)
    if reply.problem then
      shown = require('mcp_host.answers').show_problem(reply.problem, origin)
    end
    on_done(reply.problem)
    if not reply.problem then
      if shown then
        require('mcp_host.buffers').discard(shown)
        shown = nil
      end
      notes.say(say(reply.document or {}))
    end
  end)
end

---@param params table<string, any>
---@param on_done? fun(problem: McpProblem|nil)
function M.write(params, on_done)
  write('add', params, on_done or function() end, function(document)
    return added_note(document.added or {})
  end)
end

---Add what was given, or open a template where that is not a whole definition.
---@param params table<string, any>
function M.add(params)
  if params.target then
    return M.write(params)
  end
  local name = require('mcp_host.names').add(params.layer)
  local buf = require('mcp_host.buffers').open(name, { alias = params.alias })
  require('mcp_host.windows').enter(buf)
  if vim.bo[buf].modified then
    notes.say('what was begun here earlier; :edit! begins anew.')
  end
end

---@param params table<string, any>
function M.remove(params)
  write('remove', params, function() end, function(document)
    local removed, inherited = document.removed or {}, document.inherited
    if type(inherited) ~= 'table' then
      return ('%s removed from %s%s'):format(removed.alias, place_of(removed), waiting_note(removed))
    end
    local place = place_of(inherited)
    local layer = vim.startswith(place, 'the ') and '' or tostring(inherited.layer) .. ' '
    return ('%s removed, still defined by %s%s'):format(removed.alias, layer, place)
  end)
end

local under_way = {} ---@type table<string, boolean> candidates

---`<CR>` on a candidate.
---@param buf integer
---@param candidate string
function M.take(buf, candidate)
  if under_way[candidate] then
    return
  end
  under_way[candidate] = true
  M.write({ candidate = candidate }, function(problem)
    under_way[candidate] = nil
    if not problem then
      require('mcp_host.buffers').reload(buf)
    end
  end)
end

return M
