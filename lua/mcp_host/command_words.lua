-- How the text after a command is read, by the table of verbs: flags, words, and a verbatim rest.
-- It is the verbatim command text: `fargs` would split JSON at its blanks.
local M = {}

---@param verb McpVerb
---@return string how the command is written
local function synopsis(verb)
  local parts = { ':' .. (verb.command or ('Mcp ' .. verb.verb)) .. (verb.bang and '[!]' or '') }
  local flags = vim.tbl_map(function(flag)
    return flag.name
  end, verb.flags or {})
  if #flags > 0 then
    parts[#parts + 1] = ('[%s]'):format(table.concat(flags, '|'))
  end
  for index, word in ipairs(verb.words) do
    local named = word == verb.quotable and ('%s|"a %s"'):format(word, word) or word
    parts[#parts + 1] = (index <= verb.required and '{%s}' or '[%s]'):format(named)
  end
  if verb.rest then
    parts[#parts + 1] = #verb.words > 0 and '[json]' or ('[%s]'):format(verb.rest)
  end
  return table.concat(parts, ' ')
end

-- In double quotes a backslash takes the next character as it is.
---@param text string begins with a quote
---@return string|nil word nil: it has no end
---@return string after
local function take_quoted(text)
  local kept, at = {}, 2
  while at <= #text do
    local char = text:sub(at, at)
    if char == '"' then
      return table.concat(kept), text:sub(at + 1)
    end
    if char == '\\' then
      at = at + 1
      char = text:sub(at, at)
    end
    kept[#kept + 1] = char
    at = at + 1
  end
  return nil, ''
end

---@param verb McpVerb
---@param args string
---@param params table<string, string>
---@return string args without the flags they begin with
---@return string|nil fault
local function take_flags(verb, args, params)
  local value, after = args:match('^%s*(%-%-%S*)(.*)$')
  while value and not (#verb.words == 0 and verb.rest) do
    local flag = vim.iter(verb.flags or {}):find(function(each)
      return each.name == value
    end)
    if not flag then
      return args, 'has no flag ' .. value:match('^%-%-[%w-]*') -- what follows a `=` may be a secret
    elseif params[flag.param] and params[flag.param] ~= flag.value then
      return args, 'takes one flag, not two'
    end
    params[flag.param], args = flag.value, after
    value, after = args:match('^%s*(%-%-%S*)(.*)$')
  end
  return args, nil
end

---@param verb McpVerb
---@param args string
---@return table<string, string> params
---@return string rest
---@return string|nil fault
local function take_words(verb, args)
  local params = {}
  local rest, fault = take_flags(verb, args, params)
  for index, word in ipairs(verb.words) do
    local value, after = rest:match('^%s*(%S+)(.*)$')
    if fault then
      return params, '', fault
    elseif not value then
      local is_missing = index <= verb.required
      local named = word == 'alias' and 'the alias of a server' or 'a ' .. word
      return params, '', is_missing and 'needs ' .. named or nil
    elseif word == verb.quotable and vim.startswith(value, '"') then
      value, after = take_quoted(vim.trim(rest))
      if not value or after:find('^%S') then
        return params, '', ('needs the end of its quoted %s'):format(word)
      end
    end
    params[word], rest = value, after
    if index < #verb.words or verb.flags then -- else it is the rest that comes
      rest, fault = take_flags(verb, rest, params)
    end
  end
  return params, vim.trim(rest), fault
end

---@param verb McpVerb
---@param args string verbatim
---@param bang boolean
---@return table<string, string>|nil params
---@return McpProblem|nil
function M.parse(verb, args, bang)
  local params, rest, fault = take_words(verb, args)
  local hint = 'Write ' .. synopsis(verb)
  if fault then
    rest = ''
  elseif verb.quotable and rest ~= '' and not vim.startswith(rest, '{') then
    fault = ('takes its %s as one JSON object'):format(verb.rest)
    hint = ('Write :%s {alias} "{target} {arguments}" [json]'):format(verb.command)
  end
  if bang and not verb.bang then
    fault = 'takes no !'
  elseif rest ~= '' and not verb.rest then
    fault = fault or 'takes nothing more than that: ' .. rest
  end
  if fault then
    local title = (':%s %s'):format(verb.command or ('Mcp ' .. verb.verb), fault)
    return nil, require('mcp_host.notes').usage(title, hint)
  end
  if verb.rest and rest ~= '' then
    params[verb.rest] = rest
  end
  return params
end

return M
