-- The one table of verbs. It makes `:Mcp {verb}` and the plain commands, and says what each takes and completes.
-- Arguments are read from the verbatim command text: `fargs` would split JSON at its blanks. This file is read at every
-- editor start, so it requires nothing up here.
local M = {}

---@type McpVerb[]
M.verbs = {
  { verb = 'list', command = 'McpList', words = {}, required = 0, desc = 'Servers and their status' },
  { verb = 'enable', command = 'McpEnable', words = { 'alias' }, required = 1, desc = 'Connect a server now' },
  { verb = 'disable', command = 'McpDisable', words = { 'alias' }, required = 1, desc = 'Withdraw a server' },
  { verb = 'survey', words = { 'alias' }, required = 1, desc = 'What a server offers' },
  { verb = 'tools', command = 'McpTools', words = { 'alias' }, required = 0, desc = 'Pick a tool' },
  { verb = 'card', words = { 'alias', 'tool' }, required = 2, desc = 'One tool in full' },
  {
    verb = 'exec',
    command = 'McpExec',
    words = { 'alias', 'tool' },
    required = 2,
    rest = 'arguments',
    bang = true,
    desc = 'Call a tool; with ! without review',
  },
  {
    verb = 'preview',
    command = 'McpPreview',
    words = { 'alias', 'tool' },
    required = 2,
    rest = 'arguments',
    desc = 'Propose a call for review',
  },
  { verb = 'accept', command = 'McpAccept', words = { 'receipt' }, required = 0, desc = 'Execute a proposal' },
  { verb = 'reject', command = 'McpReject', words = { 'receipt' }, required = 0, desc = 'Discard a proposal' },
  { verb = 'proposals', command = 'McpProposals', words = {}, required = 0, desc = 'The review queue' },
  { verb = 'read', command = 'McpRead', words = { 'alias', 'uri' }, required = 2, desc = 'Read a resource' },
  {
    verb = 'prompt',
    command = 'McpPrompt',
    words = { 'alias', 'prompt' },
    required = 2,
    rest = 'arguments',
    desc = 'Get a prompt',
  },
  { verb = 'result', words = { 'call' }, required = 1, desc = 'Show a kept result again' },
  { verb = 'cancel', command = 'McpCancel', words = { 'call' }, required = 0, desc = 'Cancel a call' },
  { verb = 'install', command = 'McpInstall', words = {}, required = 0, desc = 'Install the Python host' },
}

---@param name string
---@return McpVerb|nil
local function find(name)
  for _, verb in ipairs(M.verbs) do
    if verb.verb == name then
      return verb
    end
  end
  return nil
end

---@param verb McpVerb
---@return string how the command is written
local function synopsis(verb)
  local parts = { ':' .. (verb.command or ('Mcp ' .. verb.verb)) .. (verb.bang and '[!]' or '') }
  for index, word in ipairs(verb.words) do
    parts[#parts + 1] = index <= verb.required and ('{%s}'):format(word) or ('[%s]'):format(word)
  end
  if verb.rest then
    parts[#parts + 1] = '[json]'
  end
  return table.concat(parts, ' ')
end

---@param verb McpVerb
---@param args string
---@return table<string, string> params
---@return string rest
---@return string|nil fault
local function take_words(verb, args)
  local params, rest = {}, args
  for index, word in ipairs(verb.words) do
    local value, after = rest:match('^%s*(%S+)(.*)$')
    if not value then
      local is_missing = index <= verb.required
      local named = word == 'alias' and 'the alias of a server' or 'a ' .. word
      return params, '', is_missing and 'needs ' .. named or nil
    elseif vim.startswith(value, '--') then
      return params, '', 'has no flag ' .. value
    end
    params[word], rest = value, after
  end
  return params, vim.trim(rest)
end

---@param verb McpVerb
---@param args string verbatim
---@param bang boolean
---@return table<string, string>|nil params
---@return McpProblem|nil
function M.parse(verb, args, bang)
  local params, rest, fault = take_words(verb, args)
  if bang and not verb.bang then
    fault = 'takes no !'
  elseif rest ~= '' and not verb.rest then
    fault = fault or 'takes nothing more than that: ' .. rest
  end
  if fault then
    local title = (':%s %s'):format(verb.command or ('Mcp ' .. verb.verb), fault)
    return nil, require('mcp_host.notes').usage(title, 'Write ' .. synopsis(verb))
  end
  if verb.rest and rest ~= '' then
    params[verb.rest] = rest
  end
  return params
end

---@param verb McpVerb
---@param args string
---@param bang boolean
local function run(verb, args, bang)
  local params, problem = M.parse(verb, args, bang)
  local headless = require('mcp_host.headless').is_on()
  if not params then
    problem = assert(problem)
    if headless then
      return require('mcp_host.headless').fail(problem, 2)
    end
    return require('mcp_host.notes').say_problem(problem)
  end
  if headless then
    return require('mcp_host.headless').run(verb.verb, params, bang)
  end
  require('mcp_host.verbs').run(verb.verb, params, bang)
end

---`:Mcp {verb} …`; alone it opens the list of servers.
---@param args string
---@param bang boolean
local function run_any(args, bang)
  local name, own_bang, rest = args:match('^%s*([%w_]+)(!?)(.*)$')
  local verb = find(name or 'list')
  if verb and not (args:find('%S') and not name) then
    return run(verb, rest or '', bang or own_bang == '!')
  end
  local known = vim.tbl_map(function(each)
    return each.verb
  end, M.verbs)
  local problem = require('mcp_host.notes').usage(
    (':Mcp has no verb %s'):format(args:match('%S+')),
    'It has: ' .. table.concat(known, ', ')
  )
  if require('mcp_host.headless').is_on() then
    return require('mcp_host.headless').fail(problem, 2)
  end
  require('mcp_host.notes').say_problem(problem)
end

---@param verb McpVerb
---@param lead string what is being completed
---@param before string the arguments before it
---@return string[]
local function complete(verb, lead, before)
  local given = vim.split(before, '%s+', { trimempty = true })
  local word = verb.words[#given + 1]
  if not word then
    return {}
  end
  return require('mcp_host.completion').of(word, given[1], lead)
end

---@param lead string
---@param line string
---@param position integer
---@return string[]
local function complete_any(lead, line, position)
  local before = line:sub(1, position - #lead):match('Mcp!?%s+(.*)$') or ''
  local name, rest = before:match('^(%w+)!?%s+(.*)$')
  local verb = name and find(name)
  if verb then
    return complete(verb, lead, rest)
  end
  local matching = {}
  for _, each in ipairs(name and {} or M.verbs) do
    if vim.startswith(each.verb, lead) then
      matching[#matching + 1] = each.verb
    end
  end
  return matching
end

function M.define()
  vim.api.nvim_create_user_command('Mcp', function(command)
    run_any(command.args, command.bang)
  end, { nargs = '*', bang = true, complete = complete_any, desc = 'MCP host' })
  for _, verb in ipairs(M.verbs) do
    if verb.command then
      vim.api.nvim_create_user_command(verb.command, function(command)
        run(verb, command.args, command.bang)
      end, {
        nargs = '*',
        bang = true,
        desc = verb.desc,
        complete = function(lead, line, position)
          local before = line:sub(1, position - #lead):match(verb.command .. '!?%s+(.*)$') or ''
          return complete(verb, lead, before)
        end,
      })
    end
  end
end

return M
