-- What is said of a call that may have run and whose answer nobody has: that its outcome is unknown, and never that it
-- could be done again. The host says the same in `host/calls.py` while it lives; this is for when it does not answer.
local M = {}

M.UNKNOWN_EXIT = 10

---@param verb string
---@param params table<string, any>
---@return boolean
function M.is_effect(verb, params)
  return verb == 'accept' or (verb == 'exec' and params.accept == true)
end

---@param params table<string, any>
---@param cause McpProblem why there is no answer
---@return McpProblem
function M.unknown(params, cause)
  local receipts = require('mcp_host.events').snapshot.proposed
  local proposed = receipts[params.receipt or ''] or {}
  local alias, tool = params.alias or proposed.alias, params.tool or proposed.tool
  local named = alias and tool and ('%s.%s'):format(alias, tool) or 'the accepted call'
  return {
    type = 'outcome-unknown',
    title = ('Nobody knows whether %s took effect'):format(named),
    detail = ('The call may have been sent, and no answer came: %s.'):format((cause.title:gsub('%.$', ''))),
    hint = 'Look at what it would have changed before doing it again; this host never repeats it by itself.',
    alias = alias,
    tool = tool,
    retryable = false,
    causes = { cause },
  }
end

return M
