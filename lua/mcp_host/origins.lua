-- Where the person stood who gave a command that is still under way: what a server asks because of it is entered only
-- by somebody who is still there.
local M = {}

---@class (exact) McpUnderWay
---@field origin McpOrigin
---@field alias string|nil nil: not known yet
---@field name string|nil of the tool, the prompt or the resource

local under_way = {} ---@type McpUnderWay[] the newest last

---A command has been given.
---@param origin McpOrigin
---@param alias string|nil
---@param name string|nil
---@return fun() over
function M.begin(origin, alias, name)
  local one = { origin = origin, alias = alias, name = name } ---@type McpUnderWay
  under_way[#under_way + 1] = one
  return function()
    for index, each in ipairs(under_way) do
      if each == one then
        table.remove(under_way, index)
        return
      end
    end
  end
end

---@param alias string
---@param name string|nil
---@return McpOrigin|nil of the newest command that fits; nil: no command of a person's is under way there
function M.find(alias, name)
  local found ---@type McpOrigin|nil
  for _, each in ipairs(under_way) do
    if each.alias == alias and each.name == name then
      found = each.origin
    end
  end
  for index = #under_way, 1, -1 do
    local each = under_way[index]
    if not found and (each.alias == nil or each.alias == alias) and (each.name == nil or name == nil) then
      found = each.origin
    end
  end
  return found
end

return M
