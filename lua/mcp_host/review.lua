-- The rule that a `:write` is a yes only where the text was there to be read: whole, unchanged (where it is not a text
-- to fill in), in the current window, and for longer than a command that was typed ahead takes. A `:write` to any other
-- name saves a copy.
local notes = require('mcp_host.notes')

local M = {}

M.LOOK_MS = 700 -- a `:write` that comes sooner was on its way before anybody saw this

---@class (exact) McpReview
---@field name string the whole name of the buffer
---@field on_write fun(buf: integer) a `:write` of the buffer to its own name
---@field nothing string what did not happen when a copy was saved
---@field changed string|nil said instead of a yes to a text that is not the one we drew; nil: it is to be filled in
---@field unseen string said instead of a yes to what nobody can have read yet
---@field look_ms fun(): number
---@field draw fun(buf: integer) what windows show around it, in each that comes to show it
---@field gone fun() the buffer is wiped out
---@field drawn? string the text as we wrote it; nil until it is complete
---@field seen_since? number milliseconds of `hrtime`: when it was completed, or entered after that
---@field is_landed? true the editor put the cursor here when another window closed

local reviews = {} ---@type table<integer, McpReview>

---@param buf integer
---@return string
function M.text_of(buf)
  return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
end

---@param buf integer
local function begin_to_look(buf)
  if reviews[buf] and vim.api.nvim_get_current_buf() == buf then
    reviews[buf].seen_since = vim.uv.hrtime() / 1e6
  end
end

---@param path string
---@param lines string[]
---@param nothing string
local function save_copy(path, lines, nothing)
  if vim.fn.filereadable(path) == 1 and vim.v.cmdbang == 0 then
    return notes.say('that file exists (add ! to overwrite it). ' .. nothing, 'ErrorMsg')
  end
  local written, answer = pcall(vim.fn.writefile, lines, path)
  if written and answer == 0 then
    notes.say('a copy was saved. ' .. nothing)
  else
    notes.say('the copy could not be saved. ' .. nothing, 'ErrorMsg')
  end
end

---@param buf integer
---@return boolean a `:write` of it is, or was, a verdict
function M.is_attached(buf)
  return reviews[buf] ~= nil
end

---Somebody stands here because another window closed: they are yet to look.
---@param buf integer
function M.landed(buf)
  if reviews[buf] then
    reviews[buf].seen_since, reviews[buf].is_landed = nil, true
  end
end

---Give the `:write` of a buffer its meaning.
---@param buf integer
---@param name string the whole name of the buffer
---@param nothing string what did not happen when a copy was saved
---@param on_write fun(buf: integer)
function M.on_write(buf, name, nothing, on_write)
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    callback = function(event)
      if event.match == name then
        return on_write(buf)
      end
      save_copy(event.match, vim.api.nvim_buf_get_lines(buf, 0, -1, false), nothing)
    end,
  })
end

---From now on a `:write` of this buffer is a verdict on its text.
---@param buf integer
---@param review McpReview
function M.attach(buf, review)
  reviews[buf] = review
  M.on_write(buf, review.name, review.nothing, review.on_write)
  vim.api.nvim_create_autocmd({ 'BufEnter', 'WinEnter' }, {
    buffer = buf,
    callback = function()
      begin_to_look(buf)
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufLeave', 'WinLeave' }, {
    buffer = buf,
    callback = function()
      if reviews[buf] then
        reviews[buf].is_landed = nil
        reviews[buf].seen_since = nil -- `:wall` in another window does not enter this one
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWinEnter', {
    buffer = buf,
    callback = function()
      review.draw(buf)
    end,
  })
  require('mcp_host.way_back').attach(buf)
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      reviews[buf] = nil
      review.gone()
    end,
  })
end

---The text is about to be read again: nothing in the buffer counts until then.
---@param buf integer
function M.reset(buf)
  if reviews[buf] then
    reviews[buf].drawn, reviews[buf].seen_since = nil, nil
  end
end

---The buffer holds the whole text now.
---@param buf integer
function M.drawn(buf)
  if reviews[buf] then
    reviews[buf].drawn = M.text_of(buf)
    begin_to_look(buf)
  end
end

---We added to the text that is looked at.
---@param buf integer
function M.amended(buf)
  if M.is_drawn(buf) then
    reviews[buf].drawn = M.text_of(buf)
  end
end

---@param buf integer
---@return boolean
function M.is_drawn(buf)
  return reviews[buf] ~= nil and reviews[buf].drawn ~= nil
end

---@param buf integer
---@param review McpReview
---@return boolean
local function is_looked_at(buf, review)
  if review.is_landed and vim.api.nvim_get_current_buf() == buf then
    review.is_landed = nil
    begin_to_look(buf) -- now they know where they are
    return false
  end
  local is_here = review.drawn and review.seen_since and vim.api.nvim_get_current_buf() == buf
  return is_here and vim.uv.hrtime() / 1e6 - review.seen_since >= review.look_ms() or false
end

---@param buf integer
---@return string|nil why a `:write` is no yes now
function M.objection(buf)
  local review = reviews[buf]
  if not review then
    return 'there is nothing to decide here.'
  elseif review.changed and review.drawn and (vim.bo[buf].modified or M.text_of(buf) ~= review.drawn) then
    return review.changed
  elseif not is_looked_at(buf, review) then
    return review.unseen
  elseif vim.fn.winheight(0) < 1 then
    return 'no line of it is in sight: make its window larger.'
  end
  return nil
end

-- A buffer that is still changed is not left.
---Keep a `:wq` whose `:write` did nothing from going on to leave what still waits for a verdict.
---@param buf integer
---@param is_waiting fun(): boolean
function M.stay(buf, is_waiting)
  if vim.bo[buf].modified or not is_waiting() then
    return
  end
  vim.bo[buf].modified = true
  vim.schedule(function()
    if vim.api.nvim_buf_is_valid(buf) and is_waiting() then
      vim.bo[buf].modified = false
    end
  end)
end

return M
