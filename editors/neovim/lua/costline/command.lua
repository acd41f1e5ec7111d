--- `:Costline` and its completion. Beside the subcommands, it has the actions of the server.

local actions = require("costline.actions")
local choices = require("costline.choices")
local client = require("costline.client")
local subcommands = require("costline.subcommands")

local M = {}

--- The name of a subcommand, and whether a `!` follows: `hotspots!` means the same as `:Costline! hotspots`.
---@param word string
---@return string
---@return boolean
local function split_bang(word)
  local name = word:gsub("!$", "")
  return name, name ~= word
end

---@param command {fargs: string[], bang: boolean, range: integer, line1: integer, line2: integer}
function M.run(command)
  if not command.fargs[1] then
    local menu = require("costline.menu")
    return (command.bang and menu.pick or menu.open)()
  end
  local name, bang = split_bang(command.fargs[1])
  local subcommand = subcommands.all[name]
  if subcommand then
    local range = command.range > 0 and { first = command.line1, last = command.line2 } or nil
    return subcommands.run(subcommand, vim.list_slice(command.fargs, 2), command.bang or bang, range)
  end
  local action = actions.by_name(choices.view())[name]
  if not action then
    return client.notify(("there is no `:Costline %s`; <Tab> lists all subcommands"):format(name))
  end
  actions.run(action)
end

---@param word string the text before the cursor, from the last space on
---@param line string
---@return string[]
function M.complete(word, line)
  local before = line:sub(1, #line - #word)
  local arguments = vim.split(vim.trim(before:gsub("^.-Costline!?", "")), "%s+", { trimempty = true })
  local found
  if #arguments == 0 then
    found = vim.tbl_keys(vim.tbl_extend("keep", {}, subcommands.all, actions.by_name(choices.view())))
    table.sort(found)
  else
    local subcommand = subcommands.all[split_bang(arguments[1])]
    found = subcommand and subcommand.complete and subcommand.complete(vim.list_slice(arguments, 2), word) or {}
  end
  return vim
    .iter(found)
    :map(function(candidate)
      return (candidate:gsub("[ \\]", "\\%0"))
    end)
    :filter(function(candidate)
      return vim.startswith(candidate, word)
    end)
    :totable()
end

return M
