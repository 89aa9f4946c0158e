-- The grammar of mcp:// buffer names. Arguments and secrets never stand in a name: names reach shada and swap files.
local M = {}

---@param text string
---@return string
function M.encode(text)
  return (text:gsub('[^%w%-_.~]', function(char)
    return ('%%%02X'):format(char:byte())
  end))
end

---@param text string
---@return string
function M.decode(text)
  return (text:gsub('%%(%x%x)', function(digits)
    return string.char(tonumber(digits, 16))
  end))
end

---@param alias string
---@param kind "survey"|"capabilities"|"tool"|"resource"|"prompt"
---@param name? string
---@return string
function M.of(alias, kind, name)
  local base = ('mcp://%s/%s'):format(M.encode(alias), kind)
  return name and (base .. '/' .. M.encode(name)) or base
end

---@param call string
---@return string
function M.result(call)
  return 'mcp://result/' .. M.encode(call)
end

---@param receipt string
---@return string
function M.proposal(receipt)
  return 'mcp://proposal/' .. M.encode(receipt)
end

---@param interaction string
---@return string
function M.interaction(interaction)
  return 'mcp://interaction/' .. M.encode(interaction)
end

---@param alias string|nil nil: of all servers
---@return string
function M.capabilities(alias)
  return alias and M.of(alias, 'capabilities') or 'mcp://capabilities'
end

---@param discovery string
---@return string
function M.candidates(discovery)
  return 'mcp://candidates/' .. M.encode(discovery)
end

---@param layer "user"|"project"|"session"|nil
---@return string
function M.add(layer)
  return (layer and layer ~= 'user') and 'mcp://add/' .. layer or 'mcp://add'
end

local of_one_part = {
  servers = 'list',
  proposals = 'proposals',
  interactions = 'interactions',
  capabilities = 'capabilities',
  trust = 'trust',
  doctor = 'doctor',
  add = 'template',
}
local of_two_parts = {
  result = { 'result', 'call' },
  proposal = { 'proposal', 'receipt' },
  interaction = { 'interaction', 'interaction' },
  candidates = { 'candidates', 'discovery' },
}
local layers = { user = true, project = true, session = true }
local of_three_parts = { tool = { 'card', 'tool' }, resource = { 'read', 'uri' }, prompt = { 'prompt', 'prompt' } }

---@param name string a buffer name
---@return McpAddress|nil nil: not a name of ours
function M.parse(name)
  local path = name:match('^mcp://(.+)$')
  if not path then
    return nil
  end
  local parts = vim.tbl_map(M.decode, vim.split(path, '/', { plain = true }))
  local first, second, third = parts[1], parts[2], parts[3]
  if #parts == 1 and of_one_part[first] then
    return { kind = first, name = name, verb = of_one_part[first], params = {} }
  elseif #parts == 2 and (second == 'survey' or second == 'capabilities') then
    return { kind = second, name = name, verb = second, params = { alias = first } }
  elseif #parts == 2 and first == 'add' and layers[second] then
    return { kind = 'add', name = name, verb = 'template', params = { layer = second } }
  elseif #parts == 2 and of_two_parts[first] then
    local verb, key = unpack(of_two_parts[first])
    return { kind = first, name = name, verb = verb, params = { [key] = second } }
  elseif #parts == 3 and of_three_parts[second] then
    local verb, key = unpack(of_three_parts[second])
    return { kind = second, name = name, verb = verb, params = { alias = first, [key] = third } }
  end
  return nil
end

return M
