-- Where the fields of a form stand in its text, which is TOML that a person edits: what a value of several lines holds
-- is neither a field nor the head of a table. It reads no value and finds no fault; the host does.
local M = {}

---@class (exact) McpField
---@field key string as it is spelled
---@field section integer of how many tables it stands in the last; 1: above every head
---@field id string the head of its table and its key
---@field row integer 1-based
---@field last integer the row in which its value ends
---@field column integer 0-based, of its value
---@field line string its first line
---@field is_absent boolean it stands behind a `#`

---@class (exact) McpOpenValue
---@field delimiter string|nil of a text that has not ended
---@field depth integer brackets that have not ended

---@param line string
---@param from integer where the text begins
---@param delimiter string one `"` or `'`, or three
---@return integer|nil last nil: it does not end in this line
local function end_of_text(line, from, delimiter)
  local quote, at = delimiter:sub(1, 1), from
  while true do
    local found = line:find(quote == '"' and '["\\]' or "'", at)
    if not found then
      return nil
    elseif line:sub(found, found) == '\\' then
      at = found + 2
    elseif line:sub(found, found + #delimiter - 1) ~= delimiter then
      at = found + 1
    else
      -- Up to two quotes may stand before the three that end a text.
      local run = #line:match(quote .. '+', found)
      return found + math.min(run, #delimiter == 3 and 5 or 1) - 1
    end
  end
end

---@param line string
---@param at integer
---@param open McpOpenValue what began before; what goes on below afterwards
local function go_through(line, at, open)
  while at <= #line do
    if open.delimiter then
      local last = end_of_text(line, at, open.delimiter)
      if not last then
        return
      end
      open.delimiter, at = nil, last + 1
    end
    local found = line:find('["\'#%[%]{}]', at)
    local char = found and line:sub(found, found)
    if not found or char == '#' then
      return
    elseif char == '"' or char == "'" then
      if line:sub(found, found + 2) == char:rep(3) then
        open.delimiter, at = char:rep(3), found + 3
      else
        at = (end_of_text(line, found + 1, char) or #line) + 1
      end
    else
      open.depth = math.max(open.depth + ((char == '[' or char == '{') and 1 or -1), 0)
      at = found + 1
    end
  end
end

---@param line string
---@param from integer
---@return integer|nil last of the key that begins there, dots and all
local function end_of_key(line, from)
  local char = line:sub(from, from)
  local last ---@type integer|nil
  if char == '"' or char == "'" then
    last = end_of_text(line, from + 1, char)
  else
    last = select(2, line:find('^[%w_-]+', from))
  end
  local dot = last and select(2, line:find('^%s*%.%s*', last + 1))
  return dot and end_of_key(line, dot + 1) or last
end

---@param line string
---@return string|nil head of the table that begins in this line
local function head_of(line)
  local first = select(2, line:find('^%s*%[%[?%s*'))
  local last = first and end_of_key(line, first + 1)
  return first and (last and line:sub(first + 1, last) or vim.trim(line))
end

---@param line string
---@return string|nil key
---@return integer start of the value
---@return boolean is_absent
local function assigned(line)
  -- Behind a `#` and a blank there are words.
  local mark = select(2, line:find('^#')) or 0
  local first = mark + #line:match('^%s*', mark + 1) + 1
  if mark == 1 and first > 2 then
    return nil, 0, false
  end
  local last = end_of_key(line, first)
  local sign = last and select(2, line:find('^%s*=%s*', last + 1))
  if not last or not sign then
    return nil, 0, false
  end
  return line:sub(first, last), sign + 1, mark == 1
end

---@param lines string[]
---@return McpField[] in the order of their rows
function M.fields(lines)
  local fields, head, section = {}, '', 1 ---@type McpField[], string, integer
  local open = { delimiter = nil, depth = 0 } ---@type McpOpenValue
  for row, line in ipairs(lines) do
    if open.delimiter or open.depth > 0 then
      go_through(line, 1, open)
      fields[#fields].last = row
    elseif head_of(line) then
      head, section = assert(head_of(line)), section + 1
    else
      local key, start, is_absent = assigned(line)
      if key then
        fields[#fields + 1] = {
          key = key,
          section = section,
          id = head .. '\n' .. key,
          row = row,
          last = row,
          column = start - 1,
          line = line,
          is_absent = is_absent,
        }
        if not is_absent then
          go_through(line, start, open)
        end
      end
    end
  end
  return fields
end

return M
