--- Records a profile: asks, and runs the commands of a recipe of the server in a terminal. The server notices the profile.

local client = require("costline.client")
local terminal = require("costline.terminal")

local M = {}

--- Runs the commands from the given one on, each if the one before it succeeded.
---@param recipe costline.Recipe
---@param window integer
---@param index integer
local function run(recipe, window, index)
  local step = recipe.commands[index]
  if not step or not vim.api.nvim_win_is_valid(window) then
    return
  end
  local function failed(why)
    local missing = type(recipe.install) == "string" and (". If it is missing: %s"):format(recipe.install) or ""
    client.notify(("%s %s%s"):format(step.program, why, missing))
  end
  local is_started = terminal.run(window, step, recipe.folder, function(status)
    if status ~= 0 then
      return failed(("ended with status %d"):format(status))
    end
    run(recipe, window, index + 1)
  end)
  if not is_started then
    failed("could not be run")
  end
end

--- Runs a recipe if the user agrees to its commands.
---@param recipe costline.Recipe
local function confirm(recipe)
  local question = ("Record %s with %s? In %s:\n%s"):format(recipe.name, recipe.profiler, recipe.folder, recipe.text)
  if vim.fn.confirm(question, "&Record\n&Cancel", 2) ~= 1 then
    return
  end
  run(recipe, terminal.window(), 1)
end

--- Records a program, test or benchmark of the current buffer.
function M.record()
  ---@param recipes costline.Recipe[]
  client.execute("recipes", { { uri = vim.uri_from_bufnr(0) } }, function(recipes)
    if #recipes == 0 then
      return client.notify("this file has no program, test or benchmark that can be recorded from here")
    elseif #recipes == 1 then
      return confirm(recipes[1])
    end
    local function format(recipe)
      return ("%s  %s"):format(recipe.name, recipe.text)
    end
    vim.ui.select(recipes, { prompt = "Record", format_item = format, kind = "costline" }, function(recipe)
      if recipe then
        confirm(recipe)
      end
    end)
  end)
end

return M
