-- The editor's own buffers of the definition files: none with unsaved work is written past, and one that is only looked
-- at follows what was written.
local M = {}

local PROJECT_FILE = '.nvim/mcp.toml'

-- The host looks in the same way, `host/project_file.py`.
---@return string
local function project_file()
  local folder = vim.fn.getcwd(-1, -1)
  for _, marker in ipairs({ PROJECT_FILE, '.git' }) do
    local found = vim.fs.find(marker, { upward = true, path = folder })[1]
    if found then
      return vim.fs.joinpath(found:sub(1, -#marker - 2), PROJECT_FILE)
    end
  end
  return vim.fs.joinpath(folder, PROJECT_FILE)
end

---@param path string
---@return string
local function resolved(path)
  return vim.fn.resolve(vim.fn.fnamemodify(path, ':p'))
end

---@param path string
---@return integer|nil buf loaded, with the contents of that file
local function buffer_of(path)
  local wanted = resolved(path)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buf)
    if name ~= '' and vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == '' and resolved(name) == wanted then
      return buf
    end
  end
  return nil
end

---@param layer "user"|"project"|"session"|nil nil: whichever file it stands in
---@return string[]
local function files_of(layer)
  local files = {}
  if layer == nil or layer == 'user' then
    files[#files + 1] = require('mcp_host.process').config_file()
  end
  if layer == nil or layer == 'project' then
    files[#files + 1] = project_file()
  end
  return files
end

---@param layer "user"|"project"|"session"|nil nil: whichever file it stands in
---@return McpProblem|nil why the layer cannot be written to now
function M.objection(layer)
  for _, file in ipairs(files_of(layer)) do
    local buf = buffer_of(file)
    if buf and vim.bo[buf].modified then
      local title = ('%s has changes in buffer %d that are not saved'):format(vim.fn.fnamemodify(file, ':~:.'), buf)
      return require('mcp_host.notes').usage(title, 'Save or discard it first')
    end
  end
  return nil
end

---A file was written by the host: a buffer of it that holds nothing unsaved shows it.
---@param file string|nil
function M.refresh(file)
  local buf = type(file) == 'string' and buffer_of(file) or nil
  if not buf or vim.bo[buf].modified then
    return
  end
  local lines = vim.api.nvim_buf_get_lines(buf, 0, 2, false)
  if #lines == 1 and lines[1] == '' then
    -- Opened before the file was there: `:checktime` would ask about that, whatever 'autoread' says.
    vim.api.nvim_buf_call(buf, function()
      vim.cmd('silent! edit')
    end)
    return
  end
  local asks = not vim.api.nvim_get_option_value('autoread', { buf = buf })
  if asks then
    vim.bo[buf].autoread = true -- the change is one that the person has just asked for
  end
  vim.cmd({ cmd = 'checktime', args = { tostring(buf) }, mods = { silent = true } })
  if asks then
    vim.bo[buf].autoread = false
  end
end

return M
