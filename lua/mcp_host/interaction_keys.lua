-- The keys of a question's buffer, beside those that all our buffers have.
local M = {}

local function decline()
  require('mcp_host.verbs').run('decline', {}, false)
end

---@param buf integer
local function sample(buf)
  local interaction = require('mcp_host.interaction')
  local id = interaction.id_of(buf)
  if id and interaction.is_over(buf) then
    require('mcp_host.notes').say(interaction.OVER, 'WarningMsg')
  elseif id then
    require('mcp_host.sampling').draft(buf, id)
  end
end

---@type table<string, fun(buf: integer)>
local ACTS = {
  ['<Plug>(McpAnswer)'] = function(buf)
    require('mcp_host.interaction').answer(buf)
  end,
  ['<Plug>(McpDecline)'] = decline,
  ['<Plug>(McpOpenUrl)'] = function(buf)
    require('mcp_host.addresses').open(buf)
  end,
  ['<Plug>(McpSample)'] = sample,
}

---@param buf integer
function M.attach(buf)
  for name, act in pairs(ACTS) do
    vim.keymap.set('n', name, function()
      act(buf)
    end, { buffer = buf, silent = true })
  end
  if not vim.g.no_mcp_host_maps then
    vim.keymap.set('n', 'gx', '<Plug>(McpOpenUrl)', { buffer = buf, remap = true, silent = true })
  end
  vim.api.nvim_buf_create_user_command(buf, 'McpSample', function()
    sample(buf)
  end, { desc = 'Let the configured function write the text' })
end

return M
