--- `:Costline`: its subcommands and their completion. Choices and actions come from the server (`costline.view`), and so do the
--- words for lists, orders and groups (`client.catalog`), so that a new one needs no new plug-in.

local client = require("costline.client")
local lists = require("costline.lists")
local options = require("costline.options")
local problems = require("costline.problems")

local M = {}

--- The view of the current client, empty without one.
---@return costline.View|{}
local function view()
  local it = client.current()
  return it and client.view(it) or {}
end

---@param key string
---@param current costline.View|{}
---@return costline.Choice?
local function choice_of(key, current)
  return vim.iter(current.choices or {}):find(function(choice)
    return choice.key == key
  end)
end

---@param message string
local function echo(message)
  vim.api.nvim_echo({ { "costline: " .. message } }, true, {})
end

--- The labels of the active options.
---@param choice costline.Choice
---@return string
local function active_labels(choice)
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

---@param key string
---@param value costline.Chosen|string
---@param on_view? fun(current: costline.View)
local function set(key, value, on_view)
  client.execute("setView", { { [key] = value } }, on_view or function(current)
    local choice = choice_of(key, current)
    if choice then
      echo(("%s: %s"):format(choice.title, active_labels(choice)))
    end
  end)
end

--- Shows the options of a choice in a menu. If several can be chosen, the menu opens again.
---@param choice costline.Choice
local function pick(choice)
  local entries = vim.list_extend({}, choice.options)
  table.insert(entries, { label = "use the setting", value = vim.NIL })
  local function format(option)
    local parts = { option.active and "●" or " ", option.label }
    for _, part in pairs({ option.description, option.detail }) do
      table.insert(parts, part)
    end
    return table.concat(parts, "  ")
  end
  vim.ui.select(entries, { prompt = choice.title, format_item = format, kind = "costline" }, function(picked)
    if not picked then
      return
    elseif not choice.multiple or picked.value == vim.NIL then
      return set(choice.key, picked.value)
    end
    local values = {}
    for _, option in ipairs(choice.options) do
      if option.active ~= (option == picked) then
        table.insert(values, option.value)
      end
    end
    set(choice.key, values, function(current)
      local again = choice_of(choice.key, current)
      if again then
        pick(again)
      end
    end)
  end)
end

--- Changes a choice to the given values, or to those that the user selects in a menu.
---@param key string
---@param values string[]
---@param reset boolean
local function change(key, values, reset)
  if reset then
    return set(key, vim.NIL)
  end
  local current = view()
  local choice = choice_of(key, current)
  if not choice and key == "profile" and type(current.profile) == "table" then
    return client.notify("no other profile was found; `:Costline profile PATH` shows any file")
  elseif not choice then
    return client.notify(("there is nothing to choose for `%s`"):format(key))
  elseif #values == 0 then
    return pick(choice)
  end
  -- Values are not always strings.
  local chosen = vim.tbl_map(function(text)
    for _, option in ipairs(choice.options) do
      if tostring(option.value) == text then
        return option.value
      end
    end
    return text
  end, values)
  set(key, choice.multiple and chosen or chosen[1])
end

---@param path string
---@return string
local function absolute(path)
  return vim.fn.fnamemodify(vim.fn.expand(path), ":p")
end

--- Shows text in a floating window at the cursor.
---@param text string
local function float(text)
  local width = math.min(80, vim.o.columns - 4)
  local _, window = vim.lsp.util.open_floating_preview(vim.split(text, "\n"), "", { width = width, wrap = true })
  vim.wo[window].linebreak = true
end

local function explain()
  local argument = { uri = vim.uri_from_bufnr(0), line = vim.api.nvim_win_get_cursor(0)[1] - 1 }
  ---@param answer costline.Explanation
  client.execute("explain", { argument }, function(answer)
    float(answer.message)
  end)
end

--- Why no profile is shown, and what to do. `nil` if one is, or may soon be.
---@return string?
local function without_profile()
  local it = client.current()
  local shown = it and (client.shown(it) or client.view(it))
  if not shown or shown.loading or type(shown.profile) == "table" then
    return nil
  end
  local problem = problems.of(shown)[1]
  return problem and problem.message or "no profile is loaded (:Costline record, or :Costline profile PATH)"
end

local function info()
  local current = view()
  local lines = {}
  local missing = without_profile()
  if missing then
    table.insert(lines, (missing:gsub("^%l", string.upper)))
  end
  if type(current.profile) == "table" then
    table.insert(lines, "Profile: " .. current.profile.path)
    local comparison = current.comparison
    table.insert(lines, "Total: " .. (type(comparison) == "table" and comparison.text or current.totalText))
  end
  for _, choice in ipairs(current.choices or {}) do
    table.insert(lines, ("%s: %s"):format(choice.title, active_labels(choice)))
  end
  for _, transform in ipairs(current.transforms or {}) do
    table.insert(lines, "Transform: " .. transform.text)
  end
  for _, entry in ipairs(current.health or {}) do
    table.insert(lines, ("%s%s: %s"):format(entry.severity:sub(1, 1):upper(), entry.severity:sub(2), entry.message))
  end
  float(#lines > 0 and table.concat(lines, "\n") or "No profile is shown.")
end

---@param current costline.View
local function echo_transforms(current)
  local texts = vim.tbl_map(function(transform)
    return transform.text
  end, current.transforms or {})
  echo(#texts > 0 and table.concat(texts, " › ") or "no transforms")
end

--- The lists of the current client, empty without one.
---@return costline.Catalog|{}
local function catalog()
  local it = client.current()
  return it and client.catalog(it) or {}
end

--- The kinds of transforms that take a function.
---@return costline.TransformKind[]
local function function_transforms()
  return vim
    .iter(catalog().transforms or {})
    :filter(function(kind)
      return kind.takes == "function"
    end)
    :map(function(kind)
      return kind.type
    end)
    :totable()
end

---@param arguments string[]
local function transform(arguments)
  local what, argument = arguments[1], table.concat(arguments, " ", 2)
  if what == "pop" or what == "clear" then
    client.execute(what == "pop" and "popTransform" or "clearTransforms", {}, echo_transforms)
  elseif what ~= "push" or argument == "" then
    client.notify("expected `push KIND:NAME`, `push KIND` (of the function at the cursor), `pop` or `clear`")
  elseif vim.tbl_contains(function_transforms(), argument) then
    lists.function_at_cursor(function(key)
      client.execute("pushTransform", { { type = argument, ["function"] = key } }, echo_transforms)
    end)
  else
    client.execute("pushTransform", { argument }, echo_transforms)
  end
end

--- Lines that were selected, 1-based, both included.
---@class costline.LineRange
---@field first integer
---@field last integer

---@class costline.Subcommand
---@field about string
---@field needs_profile? true
---@field is_action? true whether it does what the server's action of this name does
---@field run fun(arguments: string[], bang: boolean, range?: costline.LineRange)
---@field complete? fun(arguments: string[]): string[] completes the argument after these

---@param key string
---@return string[]
local function values_of(key)
  local choice = choice_of(key, view())
  return vim.tbl_map(function(option)
    return tostring(option.value)
  end, choice and choice.options or {})
end

---@param words string[]
---@return fun(arguments: string[]): string[]
local function first_of(words)
  return function(arguments)
    return #arguments == 0 and words or {}
  end
end

--- What callers and callees can be grouped by.
---@return costline.GroupBy[]
local function groupings()
  return vim.tbl_map(function(grouping)
    return grouping.groupBy
  end, catalog().groupings or {})
end

---@param arguments string[]
---@return string[]
local function complete_groupings(arguments)
  return #arguments == 0 and groupings() or {}
end

---@param subcommand costline.Subcommand
---@param arguments string[]
---@param bang boolean
---@param range? costline.LineRange
local function run_subcommand(subcommand, arguments, bang, range)
  local problem = subcommand.needs_profile and without_profile()
  if problem then
    return client.notify(problem)
  end
  subcommand.run(arguments, bang, range)
end

---@param direction costline.Direction
---@param by string?
---@param bang boolean
local function list_calls(direction, by, bang)
  if not by then
    return (bang and lists.walk_calls or lists.calls)(direction)
  end
  local known = groupings()
  if #known > 0 and not vim.list_contains(known, by) then
    return client.notify("expected " .. table.concat(known, ", "))
  end
  lists.grouped(direction, by)
end

--- A word after `:Costline hotspots`, and what it adds to the question.
---@class costline.HotWord
---@field word string
---@field argument costline.HotSpotsArgument

--- What hot spots can be listed by.
---@return costline.HotWord[]
local function hot_lists()
  return vim.tbl_map(function(kind)
    return { word = kind.list, argument = { by = kind.by } }
  end, catalog().hotSpots or {})
end

--- The orders of hot spots. Costs per call can have several.
---@return costline.HotWord[]
local function hot_orders()
  local words, per_call = {}, nil
  for _, order in ipairs(catalog().hotSpotsOrders or {}) do
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
local function hot_spots_argument(words)
  local known = vim.list_extend(hot_lists(), hot_orders())
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
local function complete_hot_spots(arguments)
  local argument = hot_spots_argument(arguments)
  if not argument then
    return {}
  end
  local words = {}
  if #arguments == 0 then
    local has = view().hotSpots or {}
    words = vim.tbl_filter(function(word)
      return vim.list_contains(has, word.argument.by)
    end, hot_lists())
  end
  for _, word in ipairs(hot_orders()) do
    if argument[next(word.argument)] == nil then
      table.insert(words, word)
    end
  end
  return names_of(words)
end

---@type table<string, costline.Subcommand>
local subcommands = {
  view = {
    about = "choose what is shown",
    run = function(arguments, bang)
      if arguments[1] then
        return change(arguments[1], vim.list_slice(arguments, 2), bang)
      end
      M.menu(true)
    end,
    complete = function(arguments)
      if #arguments > 0 then
        return values_of(arguments[1])
      end
      return vim.tbl_map(function(choice)
        return choice.key
      end, view().choices or {})
    end,
  },
  profile = {
    about = "show another profile",
    run = function(arguments, bang)
      if arguments[1] then
        return set("profile", absolute(arguments[1]))
      end
      local problem = not bang and #values_of("profile") == 0 and without_profile()
      if problem then
        return client.notify(problem)
      end
      change("profile", {}, bang)
    end,
    complete = function()
      return values_of("profile")
    end,
  },
  baseline = {
    about = "compare with another profile",
    run = function(arguments, bang)
      if arguments[1] then
        return set("baseline", absolute(arguments[1]))
      end
      change("baseline", {}, bang)
    end,
    complete = function()
      return values_of("baseline")
    end,
  },
  reload = {
    about = "read the profile again",
    needs_profile = true,
    is_action = true,
    run = function()
      client.execute("reload", {}, function() end)
    end,
  },
  callers = {
    about = "list the callers of the function at the cursor, or of the selected lines",
    needs_profile = true,
    run = function(arguments, bang, range)
      if range then
        return lists.selection_callers(range.first, range.last)
      end
      list_calls("incoming", arguments[1], bang)
    end,
    complete = complete_groupings,
  },
  callees = {
    about = "list the callees of the function at the cursor",
    needs_profile = true,
    run = function(arguments, bang)
      list_calls("outgoing", arguments[1], bang)
    end,
    complete = complete_groupings,
  },
  hotspots = {
    about = "list the hottest functions, lines, files, packages and more",
    needs_profile = true,
    run = function(arguments, bang)
      local it = client.current()
      if not it then
        return client.notify("no server is running for this file (:checkhealth costline)")
      end
      local argument, problem = hot_spots_argument(arguments)
      if not argument then
        return client.notify(problem)
      end
      local shown = client.shown(it)
      if argument.sort == "change" and shown and type(shown.baseline) ~= "table" then
        return client.notify("there is no baseline: choose one with :Costline baseline")
      end
      lists.hotspots(argument, bang)
    end,
    complete = complete_hot_spots,
  },
  selection = {
    about = "list the selected lines with their shares",
    needs_profile = true,
    run = function(_, _, range)
      local line = vim.fn.line(".")
      lists.selection(range and range.first or line, range and range.last or line)
    end,
  },
  tree = {
    about = "show the call tree",
    needs_profile = true,
    run = function(arguments, bang)
      local open = bang and lists.walk_tree or require("costline.tree").open
      open(arguments[1] == "inverted")
    end,
    complete = first_of({ "inverted" }),
  },
  flamegraph = {
    about = "show a flame graph",
    needs_profile = true,
    run = function(_, bang)
      if not bang then
        return require("costline.flamegraph").open()
      end
      ---@param answer costline.Picture
      client.execute("flamegraph", {}, function(answer)
        echo("flame graph: " .. answer.path)
      end)
    end,
  },
  explain = { about = "explain what this line shows", run = explain },
  record = {
    about = "record a profile of a program, test or benchmark",
    run = function()
      require("costline.record").record()
    end,
  },
  fetch = {
    about = "fetch a profile from a source in .costline/sources.toml",
    run = function(arguments)
      require("costline.fetch").fetch(arguments[1])
    end,
    complete = function(arguments)
      return #arguments == 0 and require("costline.fetch").names() or {}
    end,
  },
  fix = { about = "fix a problem with what is shown", run = problems.fix },
  transform = {
    about = "transform stacks before they are summed",
    needs_profile = true,
    run = transform,
    complete = function(arguments)
      if #arguments == 0 then
        return { "push", "pop", "clear" }
      end
      return #arguments == 1 and arguments[1] == "push" and function_transforms() or {}
    end,
  },
  toggle = {
    about = "show or hide hints, lenses or heat",
    run = function(arguments)
      local what = arguments[1] or "hints"
      if type(options[what]) ~= "boolean" then
        return client.notify("expected hints, lenses or heat")
      end
      require("costline").toggle(what)
    end,
    complete = first_of({ "hints", "lenses", "heat" }),
  },
  next = {
    about = "go to the next hot line",
    needs_profile = true,
    run = function(_, bang)
      require("costline").next({ any = bang })
    end,
  },
  prev = {
    about = "go to the previous hot line",
    needs_profile = true,
    run = function(_, bang)
      require("costline").prev({ any = bang })
    end,
  },
  info = { about = "show what is active", run = info },
  paths = { about = "list the files of the profile", needs_profile = true, run = lists.paths },
  restart = { about = "restart the server", run = client.restart },
  log = {
    about = "open the log of Neovim's language clients",
    run = function()
      vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log.get_filename()))
    end,
  },
}

---@param action costline.Action
---@return string without `costline.`
local function name_of(action)
  return (action.command:gsub("^costline%.", ""))
end

---@param action costline.Action
local function act(action)
  client.execute(name_of(action), action.arguments, function() end)
end

--- The actions without arguments, by name.
---@param current costline.View|{}
---@return table<string, costline.Action>
local function actions(current)
  local found = {}
  for _, action in ipairs(current.actions or {}) do
    if #action.arguments == 0 then
      found[name_of(action)] = action
    end
  end
  return found
end

--- Shows a menu of all choices, actions and subcommands.
---@param only_choices? boolean
function M.menu(only_choices)
  local current = view()
  local entries = vim.tbl_map(function(choice)
    local text = ("%s: %s"):format(choice.title, active_labels(choice))
    return {
      text = text,
      run = function()
        pick(choice)
      end,
    }
  end, current.choices or {})
  if not only_choices then
    for _, action in ipairs(current.actions or {}) do
      table.insert(entries, {
        text = action.title,
        run = function()
          act(action)
        end,
      })
    end
    local found = actions(current)
    for name, subcommand in vim.spairs(subcommands) do
      local is_there = (subcommand.is_action and found[name]) or name == "view" or choice_of(name, current)
      if not is_there then
        table.insert(entries, {
          text = ("%s (:Costline %s)"):format(subcommand.about:gsub("^%l", string.upper), name),
          run = function()
            run_subcommand(subcommand, {}, false)
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
    return M.menu()
  end
  local name, bang = split_bang(command.fargs[1])
  local subcommand = subcommands[name]
  if subcommand then
    local range = command.range > 0 and { first = command.line1, last = command.line2 } or nil
    return run_subcommand(subcommand, vim.list_slice(command.fargs, 2), command.bang or bang, range)
  end
  local action = actions(view())[name]
  if not action then
    return client.notify(("there is no `:Costline %s`; <Tab> lists all subcommands"):format(name))
  end
  act(action)
end

---@param word string the text before the cursor, from the last space on
---@param line string
---@return string[]
function M.complete(word, line)
  local before = line:sub(1, #line - #word)
  local arguments = vim.split(vim.trim(before:gsub("^.-Costline!?", "")), "%s+", { trimempty = true })
  local found
  if #arguments == 0 then
    found = vim.tbl_keys(vim.tbl_extend("keep", {}, subcommands, actions(view())))
    table.sort(found)
  else
    local subcommand = subcommands[split_bang(arguments[1])]
    found = subcommand and subcommand.complete and subcommand.complete(vim.list_slice(arguments, 2)) or {}
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
