-- What other plugins and init.lua use. Each function returns at once; a callback gets `(problem|nil, value)`.
local M = {}

---@alias McpCallback fun(problem: McpProblem|nil, value: table|nil)

local SETTINGS = { python = 'string', loader = 'string', config_file = 'string', resolve = 'function' }

---Optional: the settings that are strings can be given as `vim.g.mcp_host_{name}` too.
---@param opts? McpSetup
function M.setup(opts)
  for name, value in pairs(opts or {}) do
    local wanted = SETTINGS[name]
    if not wanted then
      local known = table.concat(vim.fn.sort(vim.tbl_keys(SETTINGS)), ', ')
      error(('mcp_host.setup: there is no setting "%s"; there are: %s'):format(name, known), 2)
    elseif type(value) ~= wanted then
      error(('mcp_host.setup: "%s" must be a %s'):format(name, wanted), 2)
    elseif name == 'loader' and value ~= 'job' and value ~= 'rplugin' then
      error('mcp_host.setup: "loader" is "job" or "rplugin"', 2)
    end
    if name == 'resolve' then
      require('mcp_host.questions').set_resolver(value)
    else
      vim.g['mcp_host_' .. name] = value
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

---Call a tool that its definition lists under `read`. Anything else is a `review-required` problem, unless
---`opts.accept` says that the caller answers for it.
---@param alias string
---@param tool string raw name
---@param arguments table|string|nil
---@param opts { accept?: boolean }|nil|McpCallback may be left out
---@param callback? McpCallback the value is the CallToolResult with `host`; a tool's own failure is `isError` in it
function M.call(alias, tool, arguments, opts, callback)
  if type(opts) == 'function' and callback == nil then
    opts, callback = nil, opts
  end
  local accept = opts ~= nil and opts.accept == true
  local params = { alias = alias, tool = tool, arguments = object(arguments), accept = accept, interactive = false }
  ask('exec', params, callback)
end

---@param alias string
---@param uri string
---@param callback McpCallback
function M.read(alias, uri, callback)
  ask('read', { alias = alias, uri = uri }, callback)
end

---@param alias string
---@param prompt string
---@param arguments table|string|nil
---@param callback McpCallback
function M.prompt(alias, prompt, arguments, callback)
  ask('prompt', { alias = alias, prompt = prompt, arguments = object(arguments) }, callback)
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
---@param callback McpCallback
function M.accept(receipt, callback)
  ask('accept', { receipt = receipt }, callback)
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
