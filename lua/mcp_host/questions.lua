-- The host's questions for names that definitions refer to and the environment lacks. Whoever called `setup{ resolve }`
-- answers. A value goes from that function into one notification: it stands in no message, no `g:` variable and no
-- table that outlives the answer.
local M = {}

---@alias McpResolver fun(name: string): string|nil or fun(name: string, done: fun(value: string|nil))

local resolver = nil ---@type McpResolver|nil

---@param resolve McpResolver
function M.set_resolver(resolve)
  resolver = resolve
end

---@return boolean
function M.has_resolver()
  return resolver ~= nil
end

-- What it raised may hold what it was about to return, so it is not repeated.
---@return string
local function raised()
  local info = debug.getinfo(assert(resolver), 'S')
  return ('your resolve function (%s:%d) raised an error'):format(vim.fs.basename(info.short_src), info.linedefined)
end

---@param value any
---@return string|nil value
---@return string|nil why there is none
local function read(value)
  if value == nil then
    return nil, 'your resolve function has no value for it'
  elseif type(value) ~= 'string' then
    return nil, ('your resolve function gave a %s instead of a string'):format(type(value))
  end
  local text = value:gsub('[\r\n]+$', '') -- as a shell's $(…) has it: what a program prints ends with a line break
  if text == '' then
    return nil, 'your resolve function gave an empty string'
  end
  return text
end

---@param name string
---@param on_value fun(value: string|nil, why: string|nil) called once, in the editor's loop
local function resolve(name, on_value)
  local fn = assert(resolver)
  local done = false
  local function finish(value, why)
    if not done then
      done = true
      vim.schedule(function()
        on_value(value, why)
      end)
    end
  end
  local waits = debug.getinfo(fn, 'u').nparams >= 2
  local ok, value = pcall(fn, name, waits and function(given)
    finish(read(given))
  end or nil)
  if not ok then
    finish(nil, raised())
  elseif not waits then
    finish(read(value))
  end
end

---@param map table<string, string>
---@return table<string, string>
local function as_map(map)
  return next(map) == nil and vim.empty_dict() or map
end

---A question of the host; its answer is the verb `resolved`. The host bounds how long that may take.
---@param question integer
---@param names string[]
---@param answer fun(params: table) sends it to the host that asked
function M.receive(question, names, answer)
  local values, failed = {}, {}
  local open = resolver and #names or 0
  local function send()
    answer({ question = question, values = as_map(values), failed = as_map(failed) })
  end
  if open == 0 then
    return send()
  end
  for _, name in ipairs(names) do
    resolve(name, function(value, why)
      values[name], failed[name] = value, why
      open = open - 1
      if open == 0 then
        send()
      end
    end)
  end
end

return M
