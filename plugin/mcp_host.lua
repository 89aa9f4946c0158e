-- What an editor start pays for: the commands, autocommands on two patterns of names, and the start of the host while
-- `:Mcp` is being typed.
if vim.g.loaded_mcp_host then
  return
end
vim.g.loaded_mcp_host = 1

if vim.fn.has('nvim-0.10') == 0 then
  vim.api.nvim_echo({ { 'mcp-host.nvim needs Neovim 0.10 or newer; it stays off.', 'WarningMsg' } }, true, {})
  return
end

require('mcp_host.commands').define()

local group = vim.api.nvim_create_augroup('mcp_host', { clear = true })

vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'mcp://*',
  nested = true,
  desc = 'Fill an mcp:// buffer',
  callback = function(event)
    require('mcp_host.buffers').read(event.buf, event.match)
  end,
})

-- A session gives such a buffer its name and does not read it.
vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = group,
  nested = true,
  desc = 'Fill the mcp:// buffers that a session brought back',
  callback = function()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.startswith(vim.api.nvim_buf_get_name(buf), 'mcp://') then
        return require('mcp_host.buffers').restore()
      end
    end
  end,
})

-- However it is opened: `gf`, `:edit`, a session.
vim.api.nvim_create_autocmd('BufReadPre', {
  group = group,
  pattern = '*/mcp_host/results/*',
  desc = 'No modeline in a file with the words of a server',
  callback = function(event)
    vim.bo[event.buf].modeline = false
  end,
})

vim.api.nvim_create_autocmd('CmdlineChanged', {
  group = group,
  pattern = ':',
  desc = 'Start the MCP host while somebody types :Mcp',
  callback = function()
    if not vim.fn.getcmdline():find('^[%s:]*Mcp') then
      return false
    end
    vim.schedule(function()
      require('mcp_host.rpc').warm()
    end)
    return true -- deletes this autocmd
  end,
})
