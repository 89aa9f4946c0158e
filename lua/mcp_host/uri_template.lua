-- The part of RFC 6570 that a command line can complete: `{name}` and `{+name}`, one variable each. Other expressions
-- stay as they are written.
local M = {}

---@class (exact) McpTemplatePart
---@field text string as it is written
---@field variable string|nil its name, where it stands for one
---@field is_raw boolean|nil `{+name}`: what is reserved in a URI stays

---@class (exact) McpTemplatePlace
---@field variable string
---@field typed string
---@field given table<string, string>
---@field put fun(value: string): string the whole text with this value in it

---@param template string
---@return McpTemplatePart[]
local function parts_of(template)
  local parts, at = {}, 1
  while at <= #template do
    local from, to, operator, name = template:find('{([+]?)([%w_.%%]+)}', at)
    local literal = template:sub(at, (from or #template + 1) - 1)
    if literal ~= '' then
      parts[#parts + 1] = { text = literal }
    end
    if not from then
      break
    end
    parts[#parts + 1] = { text = template:sub(from, to), variable = name, is_raw = operator == '+' }
    at = to + 1
  end
  return parts
end

local RESERVED = ":/?#%[%]@!$&'()*+,;="

---@param value string
---@param is_raw boolean|nil
---@return string
local function encode(value, is_raw)
  local kept = '[^%w%-_.~' .. (is_raw and RESERVED or '') .. ']'
  return (value:gsub(kept, function(char)
    return ('%%%02X'):format(char:byte())
  end))
end

---@param parts McpTemplatePart[]
---@param from integer
---@return string
local function rest_of(parts, from)
  local texts = {}
  for index = from, #parts do
    texts[#texts + 1] = parts[index].text
  end
  return table.concat(texts)
end

---@param part McpTemplatePart
---@param typed string
---@param given table<string, string>
---@param before string
---@param after string
---@return McpTemplatePlace
local function place_of(part, typed, given, before, after)
  return {
    variable = assert(part.variable),
    typed = require('mcp_host.names').decode(typed),
    given = given,
    put = function(value)
      return before .. encode(value, part.is_raw) .. after
    end,
  }
end

---Which variable of the template is to be filled in next, in what is typed.
---@param template string
---@param typed string up to the cursor
---@return McpTemplatePlace|nil nil: it is no beginning of it, or is complete
function M.place(template, typed)
  local parts, given, before, rest = parts_of(template), {}, '', typed
  for index, part in ipairs(parts) do
    local following = parts[index + 1] and parts[index + 1].text or ''
    if not part.variable then
      if not vim.startswith(rest, part.text) then
        return nil
      end
      before, rest = before .. part.text, rest:sub(#part.text + 1)
    elseif vim.startswith(rest, part.text) then
      return place_of(part, '', given, before, rest:sub(#part.text + 1))
    elseif rest:sub(1, 1) == '{' then
      return vim.startswith(part.text, rest) and place_of(part, '', given, before, rest_of(parts, index + 1)) or nil
    else
      local ends = following ~= '' and rest:find(following, 1, true) or nil
      if not ends then
        return place_of(part, rest, given, before, rest_of(parts, index + 1))
      end
      given[part.variable] = require('mcp_host.names').decode(rest:sub(1, ends - 1))
      before, rest = before .. rest:sub(1, ends - 1), rest:sub(ends)
    end
  end
  return nil
end

return M
