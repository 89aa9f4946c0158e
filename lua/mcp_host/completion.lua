-- What completes on a command line, out of the snapshot of events. It does not wait for the host; only what stands for
-- a variable of a template is asked for, see `argument_values.lua`.
local visible = require('mcp_host.visible')

local M = {}

-- `getcompletion()` would expand these, and run what stands in backticks.
local EXPANDED = '[`%%#<>$*?%[%]{}\\"\'|;&()]'

---@param lead string
---@param kind string of `getcompletion()`
---@return string[]
local function from_editor(lead, kind)
  return lead:find(EXPANDED) and {} or vim.fn.getcompletion(lead, kind)
end

---@type table<string, fun(snapshot: McpSnapshot, alias: string, lead: string): string[]>
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
  interaction = function(snapshot)
    return vim.tbl_keys(snapshot.interactions)
  end,
  target = function(_, _, lead)
    return lead ~= '' and from_editor(lead, 'shellcmd') or {} -- not every program there is
  end,
  file = function(_, _, lead)
    return from_editor(lead, 'file')
  end,
}

---@param flags McpFlag[]
---@param lead string
---@return string[]
function M.flags(flags, lead)
  local matching = {}
  for _, flag in ipairs(flags) do
    if vim.startswith(flag.name, lead) then
      matching[#matching + 1] = flag.name
    end
  end
  return matching
end

---@param word string name of a parameter
---@param alias string|nil the alias given before it
---@param lead string
---@return string[]
function M.of(word, alias, lead)
  local snapshot = require('mcp_host.events').snapshot
  local source = sources[word]
  local matching = {}
  for _, candidate in ipairs(source and source(snapshot, alias or '', lead) or {}) do
    -- What cannot be typed as one word, or not be seen, is not offered.
    if vim.startswith(candidate, lead) and not candidate:find('%s') and visible.is_safe(candidate) then
      matching[#matching + 1] = candidate
    end
  end
  if word == 'uri' and alias then
    for _, value in ipairs(require('mcp_host.argument_values').of_template(alias, lead)) do
      if not vim.tbl_contains(matching, value) then
        matching[#matching + 1] = value
      end
    end
  end
  table.sort(matching)
  return matching
end

return M
