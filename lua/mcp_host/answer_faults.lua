-- What is wrong with an answer, at the lines that are to blame: as diagnostics, so that `]d` goes from one to the next.
local notes = require('mcp_host.notes')
local visible = require('mcp_host.visible')

local M = {}

local namespace = vim.api.nvim_create_namespace('mcp_host_answer')
local configured = false

-- Off by default since 0.11, and a fault that is not seen is none.
local function configure()
  if not configured then
    configured = true
    vim.diagnostic.config({ virtual_text = true, signs = false, underline = false }, namespace)
  end
end

---@param problem McpProblem each line of its detail may begin `line 12: `
---@param count integer lines of the buffer
---@return vim.Diagnostic[]
local function read(problem, count)
  local found = {}
  for _, text in ipairs(vim.split(problem.detail or '', '\n', { plain = true, trimempty = true })) do
    local line, message = text:match('^line (%d+): (.*)$')
    if line then
      found[#found + 1] = {
        lnum = math.min(math.max(tonumber(line), 1), count) - 1,
        col = 0,
        message = visible.line(message),
        severity = vim.diagnostic.severity.ERROR,
        source = 'mcp',
      }
    end
  end
  return found
end

---@param buf integer
function M.clear(buf)
  vim.diagnostic.reset(namespace, buf)
end

---Mark the lines, and go to the first of them where the buffer is looked at.
---@param buf integer
---@param problem McpProblem
function M.show(buf, problem)
  configure()
  local found = read(problem, vim.api.nvim_buf_line_count(buf))
  vim.diagnostic.set(namespace, buf, found)
  local first = found[1]
  if not first then
    return notes.say_problem(problem)
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    require('mcp_host.answer_fields').go_to_row(win, first.lnum + 1)
  end
  local more = #found > 1 and (' (and %d more)'):format(#found - 1) or ''
  notes.say(('line %d: %s%s'):format(first.lnum + 1, first.message, more), 'ErrorMsg')
end

return M
