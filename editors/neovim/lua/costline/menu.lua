--- The menu of `:Costline`.

local actions = require("costline.actions")
local choices = require("costline.choices")
local subcommands = require("costline.subcommands")

local M = {}

--- Shows a menu of all choices, actions and subcommands.
---@param only_choices? boolean
function M.show(only_choices)
  local current = choices.view()
  local entries = vim.tbl_map(function(choice)
    local text = ("%s: %s"):format(choice.title, choices.active_labels(choice))
    return {
      text = text,
      run = function()
        choices.pick(choice)
      end,
    }
  end, current.choices or {})
  if not only_choices then
    for _, action in ipairs(current.actions or {}) do
      table.insert(entries, {
        text = action.title,
        run = function()
          actions.run(action)
        end,
      })
    end
    local found = actions.by_name(current)
    for name, subcommand in vim.spairs(subcommands.all) do
      local is_there = (subcommand.is_action and found[name]) or name == "view" or choices.of(name, current)
      if not is_there then
        table.insert(entries, {
          text = ("%s (:Costline %s)"):format(subcommand.about:gsub("^%l", string.upper), name),
          run = function()
            subcommands.run(subcommand, {}, false)
          end,
        })
      end
    end
  end
  local function format(entry)
    return entry.text
  end
  vim.ui.select(entries, { prompt = "Costline", format_item = format, kind = "costline" }, function(entry)
    if entry then
      entry.run()
    end
  end)
end

return M
