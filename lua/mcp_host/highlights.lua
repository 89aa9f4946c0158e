-- The highlight groups of our buffers. All are default links, so a colour scheme or a person can replace each.
local M = {}

local links = {
  McpTitle = 'Title',
  McpAlias = 'Identifier',
  McpTool = 'Function',
  McpSignature = 'Type',
  McpSummary = 'Normal',
  McpEffectRead = 'DiagnosticOk',
  McpEffectHost = 'DiagnosticWarn',
  McpProblem = 'DiagnosticError',
  McpMuted = 'Comment',
  McpKey = 'Special',
  McpOk = 'DiagnosticOk',
  McpAdded = 'Added',
  McpRemoved = 'Removed',
}

local function link()
  for group, target in pairs(links) do
    vim.api.nvim_set_hl(0, group, { link = target, default = true })
  end
end

local defined = false

---Called on the first view; a later `:colorscheme` clears the links, so they are set again.
function M.define()
  if defined then
    return
  end
  defined = true
  link()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('mcp_host_highlights', { clear = true }),
    callback = link,
  })
end

return M
