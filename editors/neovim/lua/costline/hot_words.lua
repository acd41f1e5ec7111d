--- The words after `:Costline hotspots`: what to list, and in which order. They come from the server.

local choices = require("costline.choices")
local client = require("costline.client")

local M = {}

--- A word after `:Costline hotspots`, and what it adds to the question.
---@class costline.HotWord
---@field word string
---@field argument costline.HotSpotsArgument

--- What hot spots can be listed by.
---@return costline.HotWord[]
local function lists()
  return vim.tbl_map(function(kind)
    return { word = kind.list, argument = { by = kind.by } }
  end, client.current_catalog().hotSpots or {})
end

--- The orders of hot spots. Costs per call can have several.
---@return costline.HotWord[]
local function orders()
  local words, per_call = {}, nil
  for _, order in ipairs(client.current_catalog().hotSpotsOrders or {}) do
    if order.perCall then
      per_call = { word = "percall", argument = { perCall = true } }
    else
      table.insert(words, { word = order.sort, argument = { sort = order.sort } })
    end
  end
  table.insert(words, per_call)
  return words
end

---@param words costline.HotWord[]
---@return string[]
local function names_of(words)
  return vim.tbl_map(function(word)
    return word.word
  end, words)
end

--- The hot spots that words ask for, or the problem with a word: it is unknown, or contradicts those before it.
---@param words string[]
---@return costline.HotSpotsArgument?
---@return string? problem
function M.argument(words)
  local known = vim.list_extend(lists(), orders())
  local argument = {}
  for at, text in ipairs(words) do
    local word = vim.iter(known):find(function(one)
      return one.word == text
    end)
    if not word then
      return nil, ("there is no `%s`; expected %s"):format(text, table.concat(names_of(known), ", "))
    elseif argument[next(word.argument)] ~= nil then
      return nil, ("`%s` cannot be added to `%s`"):format(text, table.concat(words, " ", 1, at - 1))
    end
    argument = vim.tbl_extend("error", argument, word.argument)
  end
  return argument
end

--- The words that can follow others: a list that the profile has first, then an order.
---@param arguments string[]
---@return string[]
function M.complete(arguments)
  local argument = M.argument(arguments)
  if not argument then
    return {}
  end
  local words = {}
  if #arguments == 0 then
    local has = choices.view().hotSpots or {}
    words = vim.tbl_filter(function(word)
      return vim.list_contains(has, word.argument.by)
    end, lists())
  end
  for _, word in ipairs(orders()) do
    if argument[next(word.argument)] == nil then
      table.insert(words, word)
    end
  end
  return names_of(words)
end

return M
