-- What is said in one line at the bottom of the screen, and how a problem reads as lines.
-- Never more than one line: a hit-enter prompt would block every request of the host until a key is pressed.
local visible = require('mcp_host.visible')

local M = {}

local waiting = nil ---@type [string, string]|nil the note that is shown once the command line is left

---@param text string
---@param cells integer
---@return string
function M.truncate(text, cells)
  if vim.fn.strdisplaywidth(text) <= cells then
    return text
  end
  local kept = vim.fn.strcharpart(text, 0, math.max(cells - 1, 0))
  while kept ~= '' and vim.fn.strdisplaywidth(kept) > cells - 1 do
    kept = vim.fn.strcharpart(kept, 0, vim.fn.strchars(kept) - 1)
  end
  return kept .. '…'
end

---A path as people write it, its beginning left out where it is long.
---@param path string
---@param characters integer
---@return string
function M.file(path, characters)
  local file = vim.fn.fnamemodify(path, ':~:.')
  local surplus = vim.fn.strchars(file) - characters
  return surplus > 0 and '…' .. vim.fn.strcharpart(file, surplus + 1) or file
end

---@param text string
---@param group string
local function show(text, group)
  vim.cmd.redraw() -- a second message before a redraw would scroll, and so ask for a key
  vim.api.nvim_echo({ { M.truncate(text, vim.v.echospace), group } }, true, {})
end

---@param text string
---@param group? string highlight group
function M.say(text, group)
  text, group = visible.line('mcp: ' .. text), group or 'None'
  if vim.api.nvim_get_mode().mode:sub(1, 1) ~= 'c' then
    return show(text, group)
  end
  if not waiting then
    vim.api.nvim_create_autocmd('CmdlineLeave', {
      once = true,
      callback = vim.schedule_wrap(function()
        local note = waiting
        waiting = nil
        if note then
          M.say(note[1]:gsub('^mcp: ', '', 1), note[2])
        end
      end),
    })
  end
  waiting = { text, group }
end

---@param problem McpProblem
function M.say_problem(problem)
  local title = problem.title:gsub('%.$', '')
  if problem.type == 'usage' then
    -- Nothing but this line says it, and a narrow screen cuts its end: how it is written comes first.
    return M.say(problem.hint .. ' (' .. title .. ')', 'ErrorMsg')
  end
  M.say(title .. '. ' .. problem.hint, 'ErrorMsg')
end

---@param text string
---@return string[]
local function split(text)
  return vim.tbl_map(visible.line, vim.split(text, '\n', { plain = true, trimempty = true }))
end

---@param problem McpProblem
---@return string[] lines
---@return McpMark[] marks
function M.problem_lines(problem)
  local lines, marks = {}, {}
  local function add(text, group, indent)
    for _, line in ipairs(split(text)) do
      line = indent .. line
      lines[#lines + 1] = line
      if group then
        marks[#marks + 1] = { #lines - 1, #indent, #line, group }
      end
    end
  end
  add(problem.title, 'McpProblem', '')
  for _, cause in ipairs(problem.causes or {}) do
    add(cause.title, 'McpProblem', '  ')
    add(cause.detail or '', nil, '    ')
    add(cause.hint or '', 'McpKey', '    ')
  end
  if (problem.detail or '') ~= '' then
    lines[#lines + 1] = ''
    add(problem.detail, nil, '')
  end
  if (problem.hint or '') ~= '' then
    lines[#lines + 1] = ''
    add(problem.hint, 'McpKey', '')
  end
  lines[#lines + 1] = ''
  add(problem.type, 'McpMuted', '')
  return lines, marks
end

---@param title string
---@param hint string
---@return McpProblem
function M.usage(title, hint)
  return { type = 'usage', title = title, detail = '', hint = hint, retryable = false, causes = {} }
end

return M
