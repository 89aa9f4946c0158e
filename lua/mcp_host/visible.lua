-- Makes text visible that reached Lua raw: names and summaries travel as the server spelled them, so that they can be
-- used, and are made safe where they are shown. Views come safe from Python and do not pass here.
local M = {}

-- C1, and what Neovim shows as nothing or lets turn the text around; the list is the one of `core/rendering/text.py`.
local HIDDEN = {
  { 0x80, 0x9F },
  { 0xAD, 0xAD },
  { 0x034F, 0x034F },
  { 0x061C, 0x061C },
  { 0x115F, 0x1160 },
  { 0x17B4, 0x17B5 },
  { 0x180B, 0x180F },
  { 0x200B, 0x200F },
  { 0x2028, 0x202E },
  { 0x2060, 0x206F },
  { 0x2800, 0x2800 },
  { 0x3164, 0x3164 },
  { 0xFE00, 0xFE0E }, -- U+FE0F is part of everyday emoji
  { 0xFEFF, 0xFEFF },
  { 0xFFA0, 0xFFA0 },
  { 0xFFF9, 0xFFFB },
  { 0x1BCA0, 0x1BCA3 },
  { 0x1D173, 0x1D17A },
  { 0xE0000, 0xE0FFF },
}

---@param char string one character of several bytes
---@return string|nil
local function escape(char)
  local code = vim.fn.char2nr(char)
  for _, range in ipairs(HIDDEN) do
    if code >= range[1] and code <= range[2] then
      return code < 0xA0 and ('<%02x>'):format(code) or ('<U+%04X>'):format(code)
    end
  end
  return nil
end

---@param char string
---@return string
local function escape_control(char)
  local byte = char:byte()
  return (byte == 10 or byte == 9) and ' ' or '^' .. string.char(bit.bxor(byte, 64))
end

---The text on one line, every control and invisible character of it escaped.
---@param text string
---@return string
function M.line(text)
  local safe = text:gsub('%c', escape_control):gsub('[\194-\244][\128-\191]+', escape)
  return safe
end

---Whether the text can be shown as it is.
---@param text string
---@return boolean
function M.is_safe(text)
  return M.line(text) == text
end

return M
