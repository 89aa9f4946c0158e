-- What completes on a command line, out of the snapshot of events. Never waits for the host.
local visible = require('mcp_host.visible')

local M = {}

---@param snapshot McpSnapshot
---@param alias string|nil
---@return string[]
local sources = {
  alias = function(snapshot)
    return vim.tbl_keys(snapshot.servers)
  end,
  tool = function(snapshot, alias)
    return snapshot.tools[alias] or {}
  end,
  uri = function(snapshot, alias)
    return snapshot.uris[alias] or {}
  end,
  prompt = function(snapshot, alias)
    return snapshot.prompts[alias] or {}
  end,
  receipt = function(snapshot)
    return vim.tbl_filter(function(receipt)
      return snapshot.receipts[receipt] == 'pending'
    end, vim.tbl_keys(snapshot.receipts))
  end,
  call = function(snapshot)
    return snapshot.calls
  end,
}

---@param word string name of a parameter
---@param alias string|nil the alias given before it
---@param lead string
---@return string[]
function M.of(word, alias, lead)
  local snapshot = require('mcp_host.events').snapshot
  local source = sources[word]
  local matching = {}
  for _, candidate in ipairs(source and source(snapshot, alias or '') or {}) do
    -- What cannot be typed as one word, or not be seen, is not offered.
    if vim.startswith(candidate, lead) and not candidate:find('%s') and visible.is_safe(candidate) then
      matching[#matching + 1] = candidate
    end
  end
  table.sort(matching)
  return matching
end

return M
