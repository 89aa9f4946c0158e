-- The one table of verbs. It makes `:Mcp {verb}` and the plain commands, and says what each takes and completes. This
-- file is read at every editor start, so it requires nothing up here.
local M = {}

---@type McpFlag[]
local LAYER_FLAGS = {
  { name = '--project', param = 'layer', value = 'project' },
  { name = '--session', param = 'layer', value = 'session' },
}

---@type McpFlag[]
local ANSWERS_FLAG = { { name = '--answers', param = 'answers', takes = 'file' } }

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
    flags = ANSWERS_FLAG,
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
  {
    verb = 'accept',
    command = 'McpAccept',
    flags = ANSWERS_FLAG,
    words = { 'receipt' },
    required = 0,
    desc = 'Execute a proposal',
  },
  { verb = 'reject', command = 'McpReject', words = { 'receipt' }, required = 0, desc = 'Discard a proposal' },
  { verb = 'proposals', command = 'McpProposals', words = {}, required = 0, desc = 'The review queue' },
  {
    verb = 'read',
    command = 'McpRead',
    flags = ANSWERS_FLAG,
    words = { 'alias', 'uri' },
    required = 2,
    desc = 'Read a resource',
  },
  {
    verb = 'prompt',
    command = 'McpPrompt',
    flags = ANSWERS_FLAG,
    words = { 'alias', 'prompt' },
    required = 2,
    rest = 'arguments',
    desc = 'Get a prompt',
  },
  {
    verb = 'interactions',
    command = 'McpInteractions',
    words = {},
    required = 0,
    desc = 'What servers ask you',
  },
  { verb = 'interaction', words = { 'interaction' }, required = 1, desc = 'One thing that a server asks' },
  {
    verb = 'answer',
    command = 'McpAnswer',
    words = { 'interaction' },
    required = 0,
    rest = 'answers',
    desc = 'Answer what a server asks',
  },
  {
    verb = 'decline',
    command = 'McpDecline',
    words = { 'interaction' },
    required = 0,
    desc = 'Say no to what a server asks',
  },
  {
    verb = 'dismiss',
    command = 'McpDismiss',
    words = { 'interaction' },
    required = 0,
    desc = 'Leave it without an answer',
  },
  {
    verb = 'capabilities',
    command = 'McpCapabilities',
    words = { 'alias' },
    required = 0,
    desc = 'What this host and the servers speak',
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
---@param after string what stands behind it
---@return string[]
local function complete(verb, lead, before, after)
  local given, flag, rest = require('mcp_host.command_words').before(verb, before)
  local completion = require('mcp_host.completion')
  if flag then
    return completion.of(assert(flag.takes), nil, lead)
  elseif verb.flags and vim.startswith(lead, '-') then
    return completion.flags(verb.flags, lead)
  end
  local word = verb.words[#given + 1] or (#verb.words == 0 and verb.rest and 'file')
  if word then
    return completion.of(word, given[1], lead)
  elseif verb.verb == 'prompt' then
    local text = { before = rest, lead = lead, after = after }
    return require('mcp_host.argument_values').of_prompt(given[1], given[2], text)
  end
  return {}
end

-- What Neovim calls the lead goes on behind the cursor, and is not replaced there.
---@param line string
---@param position integer
---@param command string
---@return string lead
---@return string before the arguments in front of it
local function split_at(line, position, command)
  local typed = line:sub(1, position)
  local lead = typed:match('%S*$')
  return lead, typed:sub(1, #typed - #lead):match(command .. '!?%s+(.*)$') or ''
end

---@param line string
---@param position integer
---@return string[]
local function complete_any(_, line, position)
  local lead, before = split_at(line, position, 'Mcp')
  local name, rest = before:match('^(%w+)!?%s+(.*)$')
  local verb = name and find(name)
  if verb then
    return complete(verb, lead, rest, line:sub(position + 1))
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
        complete = function(_, line, position)
          local lead, before = split_at(line, position, verb.command)
          return complete(verb, lead, before, line:sub(position + 1))
        end,
      })
    end
  end
end

return M
