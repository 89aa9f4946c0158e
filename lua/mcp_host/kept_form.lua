-- A form that somebody typed in outlives its window. The editor lets `:hide`, `:close!` and `:only!` close that of a
-- changed one without a word, and a buffer that is wiped with its window takes the text along. Only what is about the
-- text itself (`:quit!`, `:bdelete!`) leaves the question.
local M = {}

---@param buf integer
---@param on_kept fun() nobody sees it any more, and its text is there
function M.attach(buf, on_kept)
  vim.api.nvim_create_autocmd('WinClosed', {
    buffer = buf,
    callback = function()
      if vim.bo[buf].modified and #vim.fn.win_findbuf(buf) <= 1 then
        vim.bo[buf].bufhidden = 'hide'
        vim.schedule(function()
          if vim.api.nvim_buf_is_loaded(buf) and #vim.fn.win_findbuf(buf) == 0 then
            on_kept()
          end
        end)
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = buf,
    callback = vim.schedule_wrap(function()
      if vim.api.nvim_buf_is_valid(buf) and not vim.api.nvim_buf_is_loaded(buf) then
        require('mcp_host.buffers').discard(buf) -- the text is gone, and the question with it
      end
    end),
  })
  vim.api.nvim_create_autocmd('BufWinEnter', {
    buffer = buf,
    callback = function()
      vim.bo[buf].bufhidden = 'wipe'
    end,
  })
end

return M
