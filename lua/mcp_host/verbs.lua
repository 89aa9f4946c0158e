-- What each verb does for a person: which buffer it opens, or what it says when it is done.
local notes = require('mcp_host.notes')

local M = {}

---@param name string
local function enter(name)
  require('mcp_host.windows').enter(require('mcp_host.buffers').open(name))
end

---@param name string of a buffer that shows something else now
local function reload(name)
  local buf = require('mcp_host.buffers').find(name)
  if buf then
    require('mcp_host.buffers').reload(buf)
  end
end

---@param verb string
---@param params table<string, any>
---@param on_document fun(document: table)
local function ask(verb, params, on_document)
  local origin = require('mcp_host.windows').origin()
  local over = require('mcp_host.origins').begin(origin, params.alias)
  params.want = 'document'
  require('mcp_host.rpc').request(verb, params, function(reply)
    over()
    if reply.problem then
      return require('mcp_host.answers').show_problem(reply.problem, origin)
    end
    on_document(reply.document or {})
  end)
end

---@param name string
---@param params table<string, any>
local function show(name, params)
  local origin = require('mcp_host.windows').origin()
  local further = { arguments = params.arguments, answers = params.answers }
  local buf = require('mcp_host.buffers').open(name, further)
  if not require('mcp_host.windows').show_result(buf, origin) then
    notes.say('no window can be opened here.', 'WarningMsg')
  end
end

---@param verb string
---@return fun(params: table<string, any>)
local function switch(verb)
  return function(params)
    notes.say(params.alias .. ': ' .. (verb == 'enable' and 'connecting…' or 'stopping…'))
    ask(verb, params, function(document)
      local server = document.server or {}
      notes.say(('%s: %s'):format(params.alias, server.status or 'done'))
    end)
  end
end

---@param verb string
---@return fun(params: table<string, any>, bang: boolean)
local function call(verb)
  return function(params, bang)
    if verb == 'exec' then
      params.accept, params.interactive = bang, true
    end
    require('mcp_host.answers').ask({
      verb = verb,
      params = params,
      origin = require('mcp_host.windows').origin(),
      subject = params.alias .. '.' .. params.tool,
    })
  end
end

---@param verb "answer"|"decline"|"dismiss"
---@param said string
---@return fun(params: table<string, any>)
local function decide(verb, said)
  return function(params)
    local origin = require('mcp_host.windows').origin()
    local interaction = require('mcp_host.interaction')
    -- Without an id, what the buffer asks that somebody stands in; else the host takes the only one that is open.
    if not params.interaction and interaction.id_of(origin.buf) then
      if interaction.is_over(origin.buf) then
        return notes.say(interaction.OVER, 'WarningMsg')
      end
      params.interaction = interaction.id_of(origin.buf)
    end
    interaction.decide(verb, params, function(reply)
      if reply.problem then
        return require('mcp_host.answers').show_problem(reply.problem, origin)
      end
      local subject = require('mcp_host.interactions').subject(reply.document.interaction)
      notes.say(('%s: %s'):format(subject, said))
    end)
  end
end

---@type table<string, fun(params: table<string, any>, bang: boolean)>
local verbs = {
  list = function()
    enter('mcp://servers')
  end,
  proposals = function()
    enter('mcp://proposals')
  end,
  survey = function(params)
    enter(require('mcp_host.names').of(params.alias, 'survey'))
  end,
  card = function(params)
    enter(require('mcp_host.names').of(params.alias, 'tool', params.tool))
  end,
  result = function(params)
    show(require('mcp_host.names').result(params.call), {})
  end,
  tools = function(params)
    require('mcp_host.picker').open(params.alias)
  end,
  enable = switch('enable'),
  disable = switch('disable'),
  exec = call('exec'),
  preview = call('preview'),
  accept = function(params)
    require('mcp_host.answers').accept(params.receipt, require('mcp_host.windows').origin(), params.answers)
  end,
  reject = function(params)
    ask('reject', params, function()
      notes.say('proposal discarded; nothing was sent.')
    end)
  end,
  read = function(params)
    show(require('mcp_host.names').of(params.alias, 'resource', params.uri), params)
  end,
  prompt = function(params)
    show(require('mcp_host.names').of(params.alias, 'prompt', params.prompt), params)
  end,
  cancel = function(params)
    local calls = require('mcp_host.events').snapshot.calls
    params.call = params.call or calls[#calls]
    if not params.call then
      return notes.say('no call is under way.')
    end
    ask('cancel', params, function()
      notes.say('cancelling…')
    end)
  end,
  interactions = function()
    enter('mcp://interactions')
  end,
  interaction = function(params)
    enter(require('mcp_host.names').interaction(params.interaction))
  end,
  answer = function(params)
    if params.answers then
      return decide('answer', 'answered')(params)
    end
    local open = vim.tbl_keys(require('mcp_host.events').snapshot.interactions)
    local id = params.interaction or (#open == 1 and open[1])
    enter(id and require('mcp_host.names').interaction(id) or 'mcp://interactions')
  end,
  decline = decide('decline', 'declined'),
  dismiss = decide('dismiss', 'cancelled, you gave no answer'),
  capabilities = function(params)
    enter(require('mcp_host.names').capabilities(params.alias))
  end,
  trust = function(params)
    if not params.digest then
      return enter('mcp://trust')
    end
    ask('trust', params, function(document)
      notes.say('approved: ' .. require('mcp_host.trust').file_of(document))
      reload('mcp://trust')
    end)
  end,
  untrust = function()
    ask('untrust', {}, function(document)
      notes.say('not approved any more: ' .. require('mcp_host.trust').file_of(document))
      reload('mcp://trust')
    end)
  end,
  discover = function(params)
    local windows = require('mcp_host.windows')
    local origin = windows.origin()
    notes.say('looking; nothing is enabled or kept…')
    ask('discover', params, function(document)
      local name = require('mcp_host.names').candidates(tostring(document.discovery))
      windows.show_answer(require('mcp_host.buffers').open(name), origin)
      local count = #(document.candidates or {})
      notes.say(count == 0 and 'no candidates' or ('candidates: %d; <CR> on one adds it'):format(count))
    end)
  end,
  add = function(params)
    require('mcp_host.adding').add(params)
  end,
  remove = function(params)
    require('mcp_host.adding').remove(params)
  end,
  doctor = function()
    enter('mcp://doctor')
  end,
  install = function()
    require('mcp_host.install').interactive()
  end,
}

---@param verb string
---@param params table<string, any>
---@param bang boolean
function M.run(verb, params, bang)
  verbs[verb](params, bang)
end

return M
