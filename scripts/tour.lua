-- The tour that scripts/demo.sh offers: the demo server's survey in a real Neovim, with a note on what to try.
local source = debug.getinfo(1, 'S').source:sub(2)
vim.opt.runtimepath:prepend(vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(source, ':p')))))
vim.cmd.runtime('plugin/mcp_host.lua')
vim.g.mcp_host_python = vim.env.MCP_HOST_DEMO_PYTHON
vim.g.mcp_host_config_file = vim.env.MCP_HOST_DEMO_FOLDER .. '/mcp.toml'
vim.o.termguicolors = true

local buf = vim.api.nvim_create_buf(false, true)
vim.api.nvim_buf_set_lines(buf, 0, -1, false, {
  'Things to try (:qa leaves):',
  '  <CR> on a tool starts its :McpExec line · K shows its card · g? lists the keys',
  '  :McpExec demo note_read {"id": "note-3"}             a read: runs at once',
  '  :McpExec demo note_add {"title": "Hi", "text": "…"}  an effect: :write runs it, :quit discards it',
  '  :McpTools picks a tool · :Mcp shows the servers · :McpProposals shows what waits',
})
vim.api.nvim_win_set_buf(0, buf)
vim.cmd('belowright split')
require('mcp_host').open('mcp://demo/survey')
vim.cmd('1wincmd w | resize 6 | setlocal winfixheight nomodifiable | 2wincmd w')
