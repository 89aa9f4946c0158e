-- Where the cursor stands in a JSON object that is being typed: what its values are all texts, as a prompt's arguments
-- have it. Anything else is left to whoever types.
local M = {}

---@class (exact) McpJsonPlace
---@field expects "open"|"key"|"colon"|"value"|"comma" what comes next, or is begun
---@field from integer byte of the text that the next thing begins at, its quote
---@field typed string what is typed of the text that is begun
---@field key string|nil whose value it is
---@field given table<string, string> the members that are complete

---@param text string
---@param from integer byte of the quote that opens it
---@return integer|nil ends byte of the quote that closes it
local function end_of_string(text, from)
  local at = from + 1
  while at <= #text do
    local char = text:sub(at, at)
    if char == '"' then
      return at
    end
    at = at + (char == '\\' and 2 or 1)
  end
  return nil
end

---@param text string with both of its quotes
---@return string|nil
local function decode(text)
  local is_read, value = pcall(vim.json.decode, text)
  return is_read and type(value) == 'string' and value or nil
end

local AFTER = { open = { ['{'] = 'key' }, colon = { [':'] = 'value' }, comma = { [','] = 'key' } }

---@param text string the object up to the cursor
---@return McpJsonPlace|nil nil: it is no such object
function M.read(text)
  local place = { expects = 'open', from = #text + 1, typed = '', key = nil, given = {} } ---@type McpJsonPlace
  local at = 1
  while at <= #text do
    local char, next_one = text:sub(at, at), AFTER[place.expects]
    if char:find('%s') then
      at = at + 1
    elseif next_one and next_one[char] then
      place.expects, at = next_one[char], at + 1
    elseif not next_one and char == '"' then
      local ends = end_of_string(text, at)
      local word = decode(text:sub(at, ends) .. (ends and '' or '"'))
      if not word then
        return nil
      elseif not ends then
        place.from, place.typed = at, word
        return place
      elseif place.expects == 'key' then
        place.key, place.expects = word, 'colon'
      else
        place.given[place.key], place.expects = word, 'comma'
      end
      at = ends + 1
    else
      return nil
    end
  end
  return place
end

return M
