-- What this editor lets servers ask for, as `setup` was told: who answers a request for a completion, which folders are
-- roots, and from which level on servers are asked for log messages. The host hears of it once, when it starts.
local M = {}

---Gives the text of a completion that a server asks for, and the name of the model that wrote it: returns both, or
---calls `done` with them once, now or later.
---@alias McpSampler fun(request: table, done: fun(text: string|nil, model: string|nil)): string|nil, string|nil

---@class (exact) McpRoots
---@field folders? string[] nil: the folder of the workspace
---@field modern? boolean also for servers of 2026-07-28, where roots are deprecated

local LEVELS = { 'debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency' }

local settings = {} ---@type { sampling?: McpSampler|"by-hand"|false, roots?: McpRoots|false, log_level?: string|false }

---@param roots table
---@return string|nil
local function fault_of_roots(roots)
  for name, value in pairs(roots) do
    if name == 'folders' then
      local are_texts = vim.islist(value)
        and not vim.iter(value):any(function(folder)
          return type(folder) ~= 'string' or folder == ''
        end)
      if not are_texts then
        return '"roots.folders" must be a list of folders'
      end
    elseif name == 'modern' then
      if type(value) ~= 'boolean' then
        return '"roots.modern" must be a boolean'
      end
    else
      return ('"roots" has no "%s"; it has: folders, modern'):format(name)
    end
  end
  return nil
end

---@type table<string, fun(value: any): string|nil>
local faults = {
  sampling = function(value)
    local fits = value == false or value == 'by-hand' or type(value) == 'function'
    return not fits and '"sampling" must be a function, "by-hand" or false' or nil
  end,
  roots = function(value)
    if value == false then
      return nil
    end
    return type(value) ~= 'table' and '"roots" must be a table or false' or fault_of_roots(value)
  end,
  log_level = function(value)
    local fits = value == false or vim.tbl_contains(LEVELS, value)
    return not fits and ('"log_level" is false or one of: %s'):format(table.concat(LEVELS, ', ')) or nil
  end,
}

---@param name string
---@return boolean
function M.has(name)
  return faults[name] ~= nil
end

---@return string[]
function M.names()
  return vim.tbl_keys(faults)
end

---@param name string one of `names`
---@param value any
---@return string|nil why it is not taken; nil: it is
function M.set(name, value)
  local fault = faults[name](value)
  if not fault then
    settings[name] = value
  end
  return fault
end

---@return McpSampler|nil nil: nobody but the person
function M.sampler()
  local sampling = settings.sampling
  return type(sampling) == 'function' and sampling or nil
end

---@param folder string
---@return string absolute
local function whole(folder)
  local path = vim.fn.fnamemodify(vim.fs.normalize(folder), ':p')
  return path == '/' and path or (path:gsub('/+$', ''))
end

---@return table<string, any> members of the start message
function M.start_members()
  local roots = settings.roots
  if roots then
    roots = { folders = roots.folders and vim.tbl_map(whole, roots.folders), modern = roots.modern }
    roots = next(roots) and roots or nil -- an empty table would cross as a list
  end
  return { sampling = settings.sampling and true or nil, roots = roots, log_level = settings.log_level }
end

return M
