-- The one table of verbs. It makes `:Mcp {verb}` and the plain commands, and says what each takes and completes. This
-- file is read at every editor start, so it requires nothing up here.
local M = {}

---@type McpFlag[]
local LAYER_FLAGS = {
  { name = '--project', param = 'layer', value = 'project' },
  { name = '--session', param = 'layer', value = 'session' },
}

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
  {
    verb = 'trust',
    command = 'McpTrust',
    words = { 'digest' },
    required = 0,
    desc = "Look at the project's definitions",
  },
  { verb = 'untrust', command = 'McpUntrust', words = {}, required = 0, desc = "Ignore the project's definitions" },
  {
    verb = 'discover',
    command = 'McpDiscover',
    words = {},
    required = 0,
    rest = 'target',
    desc = 'Candidates from a URL, a command line or a file',
  },
  {
    verb = 'add',
    command = 'McpAdd',
    flags = LAYER_FLAGS,
    words = { 'alias', 'target' },
    required = 0,
    quotable = 'target',
    rest = 'options',
    desc = 'Define a server',
  },
  {
    verb = 'remove',
    command = 'McpRemove',
    flags = LAYER_FLAGS,
    words = { 'alias' },
    required = 1,
    desc = 'Take a definition away',
  },
  { verb = 'doctor', command = 'McpDoctor', words = {}, required = 0, desc = 'Find out what is wrong' },
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
---@param args string
---@param bang boolean
local function run(verb, args, bang)
  local params, problem = require('mcp_host.command_words').parse(verb, args, bang)
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
  local given = {}
  for _, piece in ipairs(vim.split(before, '%s+', { trimempty = true })) do
    if not (verb.flags and vim.startswith(piece, '--')) then
      given[#given + 1] = piece
    end
  end
  if verb.flags and vim.startswith(lead, '-') then
    return require('mcp_host.completion').flags(verb.flags, lead)
  end
  local word = verb.words[#given + 1] or (#verb.words == 0 and verb.rest and 'file')
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
