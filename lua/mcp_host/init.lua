-- What other plugins and init.lua use. Each function returns at once; a callback gets `(problem|nil, value)`.
local M = {}

---@alias McpCallback fun(problem: McpProblem|nil, value: table|nil)

local SETTINGS = { python = 'string', loader = 'string', config_file = 'string', resolve = 'function' }

---@return string
local function known_settings()
  local names = vim.list_extend(vim.tbl_keys(SETTINGS), require('mcp_host.offers').names())
  return table.concat(vim.fn.sort(names), ', ')
end

---@param name string
---@param value any
---@return string|nil why it is not taken
local function set(name, value)
  local wanted, offers = SETTINGS[name], require('mcp_host.offers')
  if offers.has(name) then
    return offers.set(name, value)
  elseif not wanted then
    return ('there is no setting "%s"; there are: %s'):format(name, known_settings())
  elseif type(value) ~= wanted then
    return ('"%s" must be a %s'):format(name, wanted)
  elseif name == 'loader' and value ~= 'job' and value ~= 'rplugin' then
    return '"loader" is "job" or "rplugin"'
  elseif name == 'resolve' then
    require('mcp_host.questions').set_resolver(value)
  else
    vim.g['mcp_host_' .. name] = value
  end
  return nil
end

---Optional: the settings that are strings can be given as `vim.g.mcp_host_{name}` too, but for `log_level`.
---@param opts? McpSetup
function M.setup(opts)
  for name, value in pairs(opts or {}) do
    local fault = set(name, value)
    if fault then
      error('mcp_host.setup: ' .. fault, 2)
    end
  end
end

---@param verb string
---@param params table<string, any>
---@param callback McpCallback
local function ask(verb, params, callback)
  if type(callback) ~= 'function' then
    error('mcp_host: the last argument must be a function', 3)
  end
  params.want = 'document'
  require('mcp_host.rpc').request(verb, params, function(reply)
    callback(reply.problem, reply.document)
  end)
end

---@param arguments table|string|nil
---@return table|string|nil
local function object(arguments)
  if type(arguments) == 'table' and next(arguments) == nil then
    return vim.empty_dict()
  end
  return arguments
end

---The servers: `{ servers = { … }, layers = { … }, problems = { … } }`.
---@param callback McpCallback
function M.list(callback)
  ask('list', {}, callback)
end

---The enabled tools: `{ tools = { … }, problems = { … } }`.
---@param alias string|nil nil: of all servers
---@param callback McpCallback
function M.tools(alias, callback)
  ask('tools', { alias = alias }, callback)
end

---Options may be left out in front of a callback.
---@param verb string
---@param params table<string, any>
---@param opts table|nil|McpCallback
---@param callback McpCallback|nil
local function ask_with(verb, params, opts, callback)
  if type(opts) == 'function' and callback == nil then
    opts, callback = nil, opts
  end
  params.answers = opts and opts.answers
  if verb == 'exec' then
    params.accept = opts ~= nil and opts.accept == true
  elseif verb == 'read' then
    params.fresh = opts and opts.fresh
  end
  ask(verb, params, callback)
end

---Call a tool that its definition lists under `read`. Anything else is a `review-required` problem, unless
---`opts.accept` says that the caller answers for it.
---@param alias string
---@param tool string raw name
---@param arguments table|string|nil
---@param opts { accept?: boolean, answers?: McpGivenAnswers }|nil|McpCallback may be left out
---@param callback? McpCallback the value is the CallToolResult with `host`; a tool's own failure is `isError` in it
function M.call(alias, tool, arguments, opts, callback)
  local params = { alias = alias, tool = tool, arguments = object(arguments), interactive = false }
  ask_with('exec', params, opts, callback)
end

---@param alias string
---@param uri string
---@param opts { fresh?: boolean, answers?: McpGivenAnswers }|nil|McpCallback may be left out
---@param callback? McpCallback
function M.read(alias, uri, opts, callback)
  ask_with('read', { alias = alias, uri = uri }, opts, callback)
end

---@param alias string
---@param prompt string
---@param arguments table|string|nil
---@param opts { answers?: McpGivenAnswers }|nil|McpCallback may be left out
---@param callback? McpCallback
function M.prompt(alias, prompt, arguments, opts, callback)
  ask_with('prompt', { alias = alias, prompt = prompt, arguments = object(arguments) }, opts, callback)
end

---Propose a call: the value has `receipt`. `open` shows a proposal to the person.
---@param alias string
---@param tool string
---@param arguments table|string|nil
---@param callback McpCallback
function M.preview(alias, tool, arguments, callback)
  ask('preview', { alias = alias, tool = tool, arguments = object(arguments) }, callback)
end

---@param receipt string|nil nil: the only pending one
---@param opts { answers?: McpGivenAnswers }|nil|McpCallback may be left out
---@param callback? McpCallback
function M.accept(receipt, opts, callback)
  ask_with('accept', { receipt = receipt }, opts, callback)
end

---@param receipt string|nil nil: the only pending one
---@param callback McpCallback
function M.reject(receipt, callback)
  ask('reject', { receipt = receipt }, callback)
end

---@param call string
---@param callback McpCallback
function M.cancel(call, callback)
  ask('cancel', { call = call }, callback)
end

---What servers ask now and asked lately: `{ interactions = { … } }`.
---@param callback McpCallback
function M.interactions(callback)
  ask('interactions', {}, callback)
end

---Answer what a server asks: the raw results by key, or that of the only request there is.
---@param interaction string|nil nil: the only open one
---@param answers table|string
---@param callback McpCallback
function M.answer(interaction, answers, callback)
  ask('answer', { interaction = interaction, answers = object(answers) }, callback)
end

---@param interaction string|nil nil: the only open one
---@param callback McpCallback
function M.decline(interaction, callback)
  ask('decline', { interaction = interaction }, callback)
end

---Leave a question unanswered; the server is told that nobody chose.
---@param interaction string|nil nil: the only open one
---@param callback McpCallback
function M.dismiss(interaction, callback)
  ask('dismiss', { interaction = interaction }, callback)
end

---What this host and the servers have agreed on.
---@param alias string|nil nil: all servers
---@param callback McpCallback
function M.capabilities(alias, callback)
  ask('capabilities', { alias = alias }, callback)
end

---What an argument of a prompt, or a variable of a template, may be: `{ completion = { values = { … } } }`.
---@param opts McpCompleteOptions
---@param callback McpCallback
function M.complete(opts, callback)
  if type(opts) ~= 'table' then
    error('mcp_host.complete: takes a table and a function', 2)
  end
  ask('complete', vim.tbl_extend('force', opts, { arguments = object(opts.arguments) }), callback)
end

---What the project's file would run: `{ trust = { … } }`. With the digest of that answer, this very text is approved;
---whoever passes one answers for it.
---@param digest string|nil
---@param callback McpCallback
function M.trust(digest, callback)
  ask('trust', { digest = digest }, callback)
end

---Ignore the project's file until it is approved.
---@param callback McpCallback
function M.untrust(callback)
  ask('untrust', {}, callback)
end

---Candidates from a URL, a command line or another client's file; nothing is kept: `{ discovery, candidates = { … } }`.
---@param target string|nil nil: the files that are found
---@param callback McpCallback
function M.discover(target, callback)
  ask('discover', { target = target }, callback)
end

---@param verb "add"|"remove"
---@param opts table<string, any>
---@param callback McpCallback
local function write(verb, opts, callback)
  if type(opts) ~= 'table' or type(callback) ~= 'function' then
    error(('mcp_host.%s: takes a table and a function'):format(verb), 3)
  end
  local params = vim.deepcopy(opts)
  params.options = object(params.options)
  require('mcp_host.adding').send(verb, params, function(reply)
    callback(reply.problem, reply.document)
  end)
end

---Define a server, by `alias` and `target`, by `candidate` or by `toml`; nothing is connected.
---@param opts McpAddOptions
---@param callback McpCallback
function M.add(opts, callback)
  write('add', opts, callback)
end

---Take a server out of the nearest layer that defines it, or out of `layer`.
---@param opts { alias: string, layer?: "user"|"project"|"session" }
---@param callback McpCallback
function M.remove(opts, callback)
  write('remove', opts, callback)
end

---What a stuck person needs to find the cause: `{ doctor = { … } }`.
---@param callback McpCallback
function M.doctor(callback)
  ask('doctor', {}, callback)
end

---Enter the mcp:// buffer of that name.
---@param name string
function M.open(name)
  require('mcp_host.windows').enter(require('mcp_host.buffers').open(name))
end

---Be told about a `User` event of the host.
---@param event McpEventName
---@param fn fun(data: table)
---@return fun() off
function M.on(event, fn)
  if not require('mcp_host.events').is_known(event) then
    error(('mcp_host.on: there is no event "%s"'):format(event), 2)
  end
  local id = vim.api.nvim_create_autocmd('User', {
    pattern = event,
    callback = function(args)
      fn(args.data)
    end,
  })
  return function()
    pcall(vim.api.nvim_del_autocmd, id)
  end
end

---For a statusline: a cached string such as `mcp 2/3`, empty while the host is not running.
---@return string
function M.status()
  local events = package.loaded['mcp_host.events']
  return events and events.status() or ''
end

return M
