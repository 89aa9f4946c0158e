-- What an argument of a prompt or a variable of a template may be, for the command line: as its server suggests.
--
-- A command line must not wait for a server. So the host is asked in the background, and its answer is there for the
-- next <Tab>. Most answers come within a few milliseconds, though, and nobody expects to press <Tab> twice: the first
-- one gives them WAIT_MS, in which the editor draws and takes messages. Only servers that are connected are asked.
local M = {}

local WAIT_MS = 200 -- below what is felt as hanging
local POLL_MS = 5
local GOOD_FOR_MS = 20000 -- suggestions change with what they are about
local KEPT_MOST = 200

---@class (exact) McpSuggestions
---@field value table|nil nil: on its way
---@field asked_at number milliseconds of `vim.uv.now`

local known = {} ---@type table<string, McpSuggestions>

---@param key string
---@return McpSuggestions|nil
local function recall(key)
  local found = known[key]
  return found and vim.uv.now() - found.asked_at < GOOD_FOR_MS and found or nil
end

---@param key string
---@return McpSuggestions
local function remember(key)
  if vim.tbl_count(known) >= KEPT_MOST then
    known = {}
  end
  known[key] = { value = nil, asked_at = vim.uv.now() }
  return known[key]
end

---@param verb string
---@param params table<string, any>
---@param generation integer of the catalog that it is about
---@return table|nil document nil: not there yet, or the server has none
local function ask(verb, params, generation)
  local key = vim.inspect({ verb, generation, params })
  local found = recall(key)
  if not found then
    found = remember(key)
    local asked = found
    require('mcp_host.rpc').request(verb, vim.tbl_extend('force', params, { want = 'document' }), function(reply)
      asked.value = reply.document or {}
    end)
  end
  if found.value == nil then
    local waiting = found
    vim.wait(WAIT_MS, function()
      return waiting.value ~= nil
    end, POLL_MS)
  end
  return found.value
end

---@param alias string
---@return table|nil survey
---@return integer generation
local function catalog_of(alias)
  local snapshot = require('mcp_host.events').snapshot
  local generation = snapshot.generations[alias]
  if snapshot.servers[alias] ~= 'ready' or not generation then
    return nil, 0
  end
  return ask('survey', { alias = alias }, generation), generation
end

---@param entries any
---@param member string
---@param name string|nil nil: all of them
---@return table[]
local function entries_of(entries, member, name)
  return vim.tbl_filter(function(entry)
    return type(entry[member]) == 'string' and (name == nil or entry[member] == name)
  end, type(entries) == 'table' and entries or {})
end

---@param document table|nil
---@return string[] that can be seen as they are
local function values_of(document)
  local completion = document and document.completion
  local values = type(completion) == 'table' and completion.values or {}
  return vim.tbl_filter(function(value)
    return type(value) == 'string' and require('mcp_host.visible').is_safe(value)
  end, values)
end

---@param text string
---@return string
local function quoted(text)
  return (vim.json.encode(text):gsub('\\/', '/'))
end

---@class (exact) McpTyped
---@field before string the JSON in front of the word that is completed
---@field lead string that word
---@field after string what stands behind the cursor

---@param typed McpTyped
---@param from integer byte of `before .. lead` that the candidates begin at
---@param words string[]
---@return string[] what can stand in the place of the lead
local function in_place(typed, from, words)
  local found, kept = {}, typed.lead:sub(1, math.max(from - #typed.before - 1, 0))
  local begun = (typed.before .. typed.lead):sub(from, #typed.before) -- of a word with blanks in it
  for _, word in ipairs(words) do
    if vim.startswith(word, begun) then
      found[#found + 1] = kept .. word:sub(#begun + 1)
    end
  end
  return found
end

---@param prompt table
---@param given table<string, string>
---@return string[]
local function names_left(prompt, given)
  local names = {}
  for _, argument in ipairs(entries_of(prompt.arguments, 'name')) do
    if given[argument.name] == nil and require('mcp_host.visible').is_safe(argument.name) then
      names[#names + 1] = argument.name
    end
  end
  return names
end

---@param place McpJsonPlace
---@param prompt table
---@param typed McpTyped
---@return string[] words
local function names_at(place, prompt, typed)
  local words, opening = {}, ({ open = '{', comma = ', ' })[place.expects] or ''
  for _, name in ipairs(names_left(prompt, place.given)) do
    if vim.startswith(name, place.typed) then
      words[#words + 1] = opening .. quoted(name) .. ': "'
    end
  end
  local is_whole = place.expects == 'comma' and #words == 0 and not typed.after:find('%S')
  return is_whole and { '}' } or words
end

---@param alias string
---@param name string
---@param typed McpTyped
---@return string[]
function M.of_prompt(alias, name, typed)
  local place = require('mcp_host.json_prefix').read(typed.before .. typed.lead)
  local survey, generation = catalog_of(alias)
  local prompt = survey and entries_of(survey.prompts, 'name', name)[1]
  if not place or not prompt then
    return {}
  elseif place.expects ~= 'value' then
    return place.expects ~= 'colon' and in_place(typed, place.from, names_at(place, prompt, typed)) or {}
  end
  local params = { alias = alias, kind = 'prompt', name = name, argument = place.key, value = place.typed }
  params.arguments = next(place.given) and place.given or nil
  return in_place(typed, place.from, vim.tbl_map(quoted, values_of(ask('complete', params, generation))))
end

---@param alias string
---@param lead string
---@return string[] whole templates, and what a variable of one may be in its place
function M.of_template(alias, lead)
  local survey, generation = catalog_of(alias)
  local found = {}
  for _, entry in ipairs(survey and entries_of(survey.resourceTemplates, 'uriTemplate') or {}) do
    local template = entry.uriTemplate
    local place = require('mcp_host.uri_template').place(template, lead)
    if place then
      local params = { alias = alias, kind = 'template', name = template }
      params.argument, params.value = place.variable, place.typed
      params.arguments = next(place.given) and place.given or nil
      vim.list_extend(found, vim.tbl_map(place.put, values_of(ask('complete', params, generation))))
    end
    if vim.startswith(template, lead) and template ~= lead and not template:find('%s') then
      found[#found + 1] = template
    end
  end
  return vim.tbl_filter(require('mcp_host.visible').is_safe, found)
end

return M
