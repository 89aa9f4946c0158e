-- How the text after a command is read, by the table of verbs: flags, words, and a verbatim rest.
-- It is the verbatim command text: `fargs` would split JSON at its blanks.
local M = {}

-- A narrow screen cuts the end: a flag with a value is told of only to somebody who wrote one.
---@param verb McpVerb
---@param args string as it was written
---@return string[]
local function spoken_flags(verb, args)
  local flags = {}
  for _, flag in ipairs(verb.flags or {}) do
    if not flag.takes then
      flags[#flags + 1] = flag.name
    elseif args:find('%-%-') then
      flags[#flags + 1] = ('%s {%s}'):format(flag.name, flag.takes)
    end
  end
  return flags
end

---@param verb McpVerb
---@param args string as it was written
---@return string how the command is written
local function synopsis(verb, args)
  local parts = { ':' .. (verb.command or ('Mcp ' .. verb.verb)) .. (verb.bang and '[!]' or '') }
  local flags = spoken_flags(verb, args)
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
---@param name string
---@return McpFlag|nil
local function find_flag(verb, name)
  return vim.iter(verb.flags or {}):find(function(each)
    return each.name == name
  end)
end

---@param flag McpFlag
---@param args string what follows the flag
---@return string|nil value nil: there is none
---@return string after
local function take_value(flag, args)
  if not flag.takes then
    return flag.value, args
  end
  local text = vim.trim(args)
  if vim.startswith(text, '"') then
    return take_quoted(text)
  end
  local value, after = text:match('^(%S+)(.*)$')
  return value, after or ''
end

-- The host does not know of a window's own folder.
---@param flag McpFlag
---@param value string
---@return string
local function as_param(flag, value)
  return flag.takes == 'file' and vim.fn.fnamemodify(value, ':p') or value
end

---@param verb McpVerb
---@param args string
---@param params table<string, string>
---@param is_rest boolean what is no flag is the verbatim rest
---@return string args without the flags they begin with
---@return string|nil fault
local function take_flags(verb, args, params, is_rest)
  local name, after = args:match('^%s*(%-%-%S*)(.*)$')
  while name and not (#verb.words == 0 and verb.rest) do
    local flag = find_flag(verb, name)
    if not flag and is_rest then
      return args, nil
    elseif not flag then
      return args, 'has no flag ' .. name:match('^%-%-[%w-]*') -- what follows a `=` may be a secret
    end
    local value
    value, after = take_value(flag, after)
    if not value then
      return args, ('needs the %s of %s'):format(flag.takes, name)
    elseif params[flag.param] and (flag.takes or params[flag.param] ~= value) then
      return args, 'takes one flag, not two'
    end
    params[flag.param], args = as_param(flag, value), after
    name, after = args:match('^%s*(%-%-%S*)(.*)$')
  end
  return args, nil
end

-- A word that may be left out, and is: what comes is the JSON behind it.
---@param verb McpVerb
---@param index integer
---@param rest string
---@return boolean
local function is_left_out(verb, index, rest)
  local is_json = verb.rest ~= nil and not verb.quotable and rest:find('^%s*[{%[]') ~= nil
  return index > verb.required and (is_json or not rest:find('%S'))
end

---@param verb McpVerb
---@param word string its name
---@param rest string
---@return string|nil value
---@return string after
---@return string|nil fault
local function take_word(verb, word, rest)
  local value, after = rest:match('^%s*(%S+)(.*)$')
  if not value then
    local named = word == 'alias' and 'the alias of a server' or 'a ' .. word
    return nil, '', 'needs ' .. named
  elseif word == verb.quotable and vim.startswith(value, '"') then
    value, after = take_quoted(vim.trim(rest))
    if not value or after:find('^%S') then
      return nil, '', ('needs the end of its quoted %s'):format(word)
    end
  end
  return value, after, nil
end

---@param verb McpVerb
---@param args string
---@return table<string, string> params
---@return string rest
---@return string|nil fault
local function take_words(verb, args)
  local params = {}
  local rest, fault = take_flags(verb, args, params, false)
  for index, word in ipairs(verb.words) do
    if fault or is_left_out(verb, index, rest) then
      break
    end
    params[word], rest, fault = take_word(verb, word, rest)
    local is_rest = index == #verb.words and verb.rest ~= nil and not verb.quotable
    if not fault and (index < #verb.words or verb.flags) then -- else it is the rest that comes
      rest, fault = take_flags(verb, rest, params, is_rest)
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
  local hint = 'Write ' .. synopsis(verb, args)
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

---What stands in front of the word that is being completed.
---@param verb McpVerb
---@param before string
---@return string[] words
---@return McpFlag|nil flag whose value it is
---@return string rest what follows the words, verbatim
function M.before(verb, before)
  local words, rest = {}, before
  while true do
    local name, after = rest:match('^%s*(%-%-%S*)%s(.*)$')
    local flag = name and find_flag(verb, name)
    local value, behind
    if flag and flag.takes then
      value, behind = take_value(flag, after)
      if not value or behind == '' then
        return words, flag, ''
      end
      rest = behind
    elseif flag then
      rest = after
    elseif #words == #verb.words or not rest:find('%S') then
      return words, nil, (rest:gsub('^%s+', ''))
    else
      words[#words + 1], rest = rest:match('^%s*(%S+)(.*)$')
    end
  end
end

return M
