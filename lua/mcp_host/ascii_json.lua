-- JSON that a terminal may be shown: everything beyond ASCII escaped, as the host does with what it prints itself.
local M = {}

local LEADS = { { 0xC2, 0xDF, 1, 0x1F }, { 0xE0, 0xEF, 2, 0x0F }, { 0xF0, 0xF4, 3, 0x07 } }

---@param code integer
---@return string
local function escape(code)
  if code < 0x10000 then
    return ('\\u%04x'):format(code)
  end
  local rest = code - 0x10000
  return ('\\u%04x\\u%04x'):format(0xD800 + math.floor(rest / 0x400), 0xDC00 + rest % 0x400)
end

---@param bytes string of 0x80 and above
---@param at integer
---@return integer code U+FFFD for a byte that is not UTF-8
---@return integer following how many bytes belong to it beside the first
local function decode(bytes, at)
  local first = bytes:byte(at)
  for _, lead in ipairs(LEADS) do
    if first >= lead[1] and first <= lead[2] then
      local code = bit.band(first, lead[4])
      for offset = 1, lead[3] do
        local byte = bytes:byte(at + offset)
        if not byte or byte > 0xBF then
          return 0xFFFD, 0
        end
        code = code * 0x40 + byte - 0x80
      end
      return code <= 0x10FFFF and code or 0xFFFD, lead[3]
    end
  end
  return 0xFFFD, 0
end

---@param bytes string
---@return string
local function escape_all(bytes)
  local escaped, at = {}, 1
  while at <= #bytes do
    local code, following = decode(bytes, at)
    escaped[#escaped + 1] = escape(code)
    at = at + following + 1
  end
  return table.concat(escaped)
end

---@param value any
---@return string one line of ASCII
function M.encode(value)
  return (vim.json.encode(value):gsub('[\128-\255]+', escape_all))
end

return M
