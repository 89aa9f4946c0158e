-- The tour that scripts/demo.sh offers: the demo server's survey in a real Neovim, with a note on what to try.
local source = debug.getinfo(1, 'S').source:sub(2)
vim.opt.runtimepath:prepend(vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(source, ':p')))))
vim.cmd.runtime('plugin/mcp_host.lua')
vim.g.mcp_host_python = vim.env.MCP_HOST_DEMO_PYTHON
vim.g.mcp_host_config_file = vim.env.MCP_HOST_DEMO_FOLDER .. '/mcp.toml'
vim.o.termguicolors = true

require('mcp_host').open('mcp://demo/survey')

local tips = vim.api.nvim_create_buf(false, true)
vim.api.nvim_buf_set_lines(tips, 0, -1, false, {
  'Try (:qa leaves):  <CR> on a tool starts its call · K shows its card · g? keys',
  '  :McpExec demo note_read {"id": "note-3"}            a read: it runs at once',
  '  :McpExec demo note_add {"title": "a", "text": "b"}  an effect: :write runs it',
  '  :McpTools picks a tool · :Mcp shows the servers · :McpProposals what waits',
})
local top = vim.api.nvim_open_win(tips, false, { split = 'above', win = -1, height = 4 })
vim.wo[top].winfixheight = true
vim.wo[top].wrap = false
