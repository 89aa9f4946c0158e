-- The main job, end to end, on the bundled demo server: connect, survey, read, propose, accept, replay, refuse.
-- Runs as `nvim -l scripts/demo.lua`; scripts/demo.sh prepares what it needs. Ends with 1 as soon as a step fails.
local repo = vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(arg[0], ':p'))))
vim.opt.runtimepath:prepend(repo)
vim.g.mcp_host_python = assert(vim.env.MCP_HOST_DEMO_PYTHON)

local WAIT_MS = 60000
local config_file = assert(vim.env.MCP_HOST_DEMO_FOLDER) .. '/mcp.toml'
vim.g.mcp_host_config_file = config_file

local DEFINITION = [[
[servers.demo]
command = "${MCP_HOST_DEMO_PYTHON}"
args = ["-m", "mcp_host.demo"]
read = ["note_list", "note_read", "note_search", "note_delete_preview", "statistics"]
]]

local mcp = require('mcp_host')

local function say(text)
  io.stdout:write(text, '\n')
end

local function heading(text)
  say('\n== ' .. text)
end

local function fail(text)
  io.stderr:write('demo failed: ', text, '\n')
  os.exit(1)
end

---@param text string
local function define(text)
  local file = assert(io.open(config_file, 'w'))
  file:write(text)
  file:close()
end

-- Waits for `fn(callback)` to answer; the editor itself stays free while it does.
---@param fn fun(callback: fun(problem: table|nil, value: table|nil))
---@return table|nil problem
---@return table|nil value
local function wait_for(fn)
  local done, problem, value = false, nil, nil
  fn(function(p, v)
    done, problem, value = true, p, v
  end)
  if not vim.wait(WAIT_MS, function()
    return done
  end, 10) then
    fail('no answer came')
  end
  return problem, value
end

---@param fn fun(callback: function)
---@return table value
local function must(fn)
  local problem, value = wait_for(fn)
  if problem then
    fail(problem.title .. '\n' .. problem.detail)
  end
  return assert(value)
end

---@param verb string
---@param params table
---@return string[] lines
local function view(verb, params)
  local lines = {}
  params.want = 'view'
  must(function(callback)
    require('mcp_host.rpc').request(verb, params, function(reply)
      callback(reply.problem, reply.view or {})
    end, {
      on_lines = function(slice)
        vim.list_extend(lines, slice)
      end,
    })
  end)
  return lines
end

---@param lines string[]
local function show(lines)
  for _, line in ipairs(lines) do
    say('  ' .. (vim.fn.strdisplaywidth(line) > 100 and vim.fn.strcharpart(line, 0, 99) .. '…' or line))
  end
end

---@param result table
---@return string
local function outcome(result)
  local text = vim.tbl_get(result, 'content', 1, 'text') or vim.json.encode(result.structuredContent)
  return ('%s%s: %s'):format(result.host.outcome, result.host.replayed and ', replayed' or '', text)
end

define(DEFINITION)

heading('Connected')
local survey = must(function(callback)
  require('mcp_host.rpc').request('survey', { alias = 'demo', want = 'document' }, function(reply)
    callback(reply.problem, reply.document)
  end)
end)
local server = survey.server
say(('  demo: %s, era %s, revision %s'):format(server.server.name, server.era, server.revision))

heading('Survey (mcp://demo/survey)')
show(view('survey', { alias = 'demo' }))

heading('A read runs at once: :McpExec demo note_read {"id": "note-1"}')
show(vim.split(
  outcome(must(function(callback)
    mcp.call('demo', 'note_read', { id = 'note-1' }, nil, callback)
  end)),
  '\n'
))

heading('An effect is proposed first: :McpExec demo note_delete_execute {"id": "note-1"}')
local proposal = must(function(callback)
  mcp.preview('demo', 'note_delete_execute', { id = 'note-1' }, callback)
end)
local receipt = proposal.receipt.id
show(view('proposal', { receipt = receipt }))

heading('Accepted: :McpAccept ' .. receipt)
show({ outcome(must(function(callback)
  mcp.accept(receipt, callback)
end)) })

heading('Accepted once more: nothing runs, the recorded result is shown')
local again = must(function(callback)
  mcp.accept(receipt, callback)
end)
show({ outcome(again) })
if not again.host.replayed then
  fail('the second accept was not a replay')
end

heading('A receipt whose evidence changed is refused')
local stale = must(function(callback)
  mcp.preview('demo', 'note_delete_execute', { id = 'note-2' }, callback)
end).receipt.id
say('  receipt ' .. stale .. ' for note-2; now the definition of demo is edited …')
define(DEFINITION .. 'summary = "Somebody edited this"\n')
local refused = wait_for(function(callback)
  mcp.accept(stale, callback)
end)
if not refused or refused.type ~= 'receipt-stale' then
  fail('the stale receipt was not refused')
end
show(vim.split(('%s: %s\n%s\n→ %s'):format(refused.type, refused.title, refused.detail, refused.hint), '\n'))

say('\nThat is the whole job. Next: put a server of yours into mcp.toml (see README.md).')
vim.cmd('qa!')
