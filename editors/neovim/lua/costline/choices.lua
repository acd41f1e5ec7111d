--- What can be chosen, such as the metric (`costline.view`), and menus to choose it.

local cells = require("costline.cells")
local client = require("costline.client")

local M = {}

--- The view of the current client, empty without one.
---@return costline.View|{}
function M.view()
  local it = client.current()
  return it and client.view(it) or {}
end

--- The choice with this key.
---@param key string
---@param current costline.View|{}
---@return costline.Choice?
function M.of(key, current)
  return vim.iter(current.choices or {}):find(function(choice)
    return choice.key == key
  end)
end

--- The value of an option, which Neovim drops from answers if it is null.
---@param option costline.ChoiceOption
---@return costline.ChoiceValue
local function value_of(option)
  return option.value == nil and vim.NIL or option.value
end

--- The word for an option in commands: its value, or its label if that is null or empty.
---@param option costline.ChoiceOption
---@return string
local function word_of(option)
  local value = value_of(option)
  return (value == vim.NIL or value == "") and option.label or tostring(value)
end

--- The labels of the active options.
---@param choice costline.Choice
---@return string
function M.active_labels(choice)
  local active = vim
    .iter(choice.options)
    :filter(function(option)
      return option.active
    end)
    :map(function(option)
      return option.label
    end)
  return active:join(", ")
end

--- Chooses a value, and says what is shown then.
---@param key string
---@param value costline.Chosen|string
---@param on_view? fun(current: costline.View)
function M.set(key, value, on_view)
  client.execute("setView", { { [key] = value } }, on_view or function(current)
    local choice = M.of(key, current)
    if choice then
      client.echo(("%s: %s"):format(choice.title, M.active_labels(choice)))
    end
  end)
end

--- Shows the options of a choice in a menu. If several can be chosen, the menu opens again.
---@param choice costline.Choice
function M.pick(choice)
  local entries = vim.list_extend({}, choice.options)
  local has_null = vim.iter(choice.options):any(function(option)
    return value_of(option) == vim.NIL
  end)
  if not has_null then
    table.insert(entries, { label = "use the setting" })
  end
  local function format(option)
    local parts = { option.active and "●" or " ", option.label }
    for _, part in pairs({ option.description, option.detail }) do
      table.insert(parts, part)
    end
    -- Neovim numbers the entries, and wraps long ones.
    return cells.cut(table.concat(parts, "  "), vim.o.columns - 6)
  end
  vim.ui.select(entries, { prompt = choice.title, format_item = format, kind = "costline" }, function(picked)
    if not picked then
      return
    elseif not choice.multiple or value_of(picked) == vim.NIL then
      return M.set(choice.key, value_of(picked))
    end
    local values = {}
    for _, option in ipairs(choice.options) do
      if option.active ~= (option == picked) then
        table.insert(values, option.value)
      end
    end
    M.set(choice.key, values, function(current)
      local again = M.of(choice.key, current)
      if again then
        M.pick(again)
      end
    end)
  end)
end

--- Changes a choice to the given values, or to those that the user selects in a menu.
---@param key string
---@param values string[]
---@param reset boolean
function M.change(key, values, reset)
  if reset then
    return M.set(key, vim.NIL)
  end
  local current = M.view()
  local choice = M.of(key, current)
  if not choice and key == "profile" and type(current.profile) == "table" then
    return client.notify("no other profile was found; `:Costline profile PATH` shows any file")
  elseif not choice then
    return client.notify(("there is nothing to choose for `%s`"):format(key))
  elseif #values == 0 then
    return M.pick(choice)
  end
  local chosen = vim.tbl_map(function(word)
    for _, option in ipairs(choice.options) do
      if word_of(option) == word then
        return value_of(option)
      end
    end
    return word
  end, values)
  M.set(key, choice.multiple and chosen or chosen[1])
end

--- The words for the options of a choice, for completion.
---@param key string
---@return string[]
function M.words_of(key)
  local choice = M.of(key, M.view())
  return vim.tbl_map(word_of, choice and choice.options or {})
end

return M
