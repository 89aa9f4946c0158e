-- What stands above a question: what it waits for, or what became of it.
local M = {}

---@alias McpInteractionPhase "open"|"sending"|"answered"|"declined"|"cancelled"|"withdrawn"|"unknown"|"closed"

-- Constants only: a winbar evaluates what it is given.
local QUESTION = ' %#McpEffectHost#QUESTION%* '
local LEAVING = ', :McpDecline says no, :quit%{&modified?"!":""} cancels'
local OPEN = {
  form = QUESTION .. ':write answers' .. LEAVING .. ', g? keys',
  url = QUESTION .. 'gx opens it, :write says done' .. LEAVING,
  sampling = QUESTION .. ':McpSample drafts, :write answers' .. LEAVING,
}
local LEAVES = ', :quit%{&modified?"!":""} leaves it'
local OTHERWISE = {
  sending = ' %#McpMuted#ANSWERING…%*',
  answered = ' %#McpOk#ANSWERED%* :quit leaves it',
  declined = ' %#McpMuted#DECLINED%* :quit leaves it',
  cancelled = ' %#McpMuted#CANCELLED%* :quit leaves it',
  withdrawn = ' %#McpProblem#WITHDRAWN%* it waits no more; nothing was sent' .. LEAVES,
  unknown = ' %#McpProblem#UNKNOWN%* the host ended: your answer may have been sent' .. LEAVES,
  closed = ' %#McpMuted#OVER%* nothing waits for an answer here; :quit leaves it',
}

---@param phase McpInteractionPhase
---@param kinds table<string, true>
---@return string
local function bar(phase, kinds)
  if phase ~= 'open' then
    return OTHERWISE[phase]
  elseif kinds.sampling and require('mcp_host.offers').sampler() then
    return OPEN.sampling
  end
  return OPEN[(kinds.form or kinds.sampling) and 'form' or 'url']
end

---@param buf integer
---@param phase McpInteractionPhase
---@param kinds table<string, true>
function M.draw(buf, phase, kinds)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_set_option_value('winbar', bar(phase, kinds), { scope = 'local', win = win })
  end
end

return M
