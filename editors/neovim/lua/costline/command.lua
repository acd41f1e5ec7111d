--- `:Costline`: its subcommands and their completion. What there is to choose comes from the server (`costline.view`), so that
--- what a newer server offers appears by itself.

local client = require("costline.client")
local lists = require("costline.lists")
local options = require("costline.options")

local M = {}

--- What there is to choose now; waits a moment.
---@return costline.View
local function view()
  local it = client.current()
  return it and client.request_sync(it, "workspace/executeCommand", { command = "costline.view", arguments = {} }) or {}
end

---@param key string
---@param current costline.View
---@return costline.Choice?
local function choice_of(key, current)
  return vim.iter(current.choices or {}):find(function(choice)
    return choice.key == key
  end)
end

---@param message string
local function say(message)
  vim.api.nvim_echo({ { "costline: " .. message } }, true, {})
end

--- What a choice stands at, in words.
---@param choice costline.Choice
---@return string
local function standing(choice)
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
---@param value any
---@param on_view? fun(current: costline.View)
local function set(key, value, on_view)
  client.execute("setView", { { [key] = value } }, on_view or function(current)
    local choice = choice_of(key, current)
    if choice then
      say(("%s: %s"):format(choice.title, standing(choice)))
    end
  end)
end

--- Lets the user pick; of several he may pick one after the other.
---@param choice costline.Choice
local function pick(choice)
  local entries = vim.list_extend({}, choice.options)
  table.insert(entries, { label = "as in the settings", value = vim.NIL })
  local function format(option)
    local words = { option.active and "●" or " ", option.label }
    for _, word in pairs({ option.description, option.detail }) do
      table.insert(words, type(word) == "string" and word or nil)
    end
    return table.concat(words, "  ")
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

--- Changes one choice: to what was given, or to what the user picks.
---@param key string
---@param values string[]
---@param reset boolean
local function change(key, values, reset)
  if reset then
    return set(key, vim.NIL)
  end
  local choice = choice_of(key, view())
  if not choice then
    return client.notify(("there is nothing to choose for `%s`"):format(key))
  elseif #values == 0 then
    return pick(choice)
  end
  -- Values need not be text: the given words are found among them.
  local wanted = vim.tbl_map(function(word)
    for _, option in ipairs(choice.options) do
      if tostring(option.value) == word then
        return option.value
      end
    end
    return word
  end, values)
  set(key, choice.multiple and wanted or wanted[1])
end

---@param path string
---@return string
local function absolute(path)
  return vim.fn.fnamemodify(vim.fn.expand(path), ":p")
end

--- Text at the cursor, its lines broken between words.
---@param text string
local function float(text)
  local width = math.min(80, vim.o.columns - 4)
  local _, window = vim.lsp.util.open_floating_preview(vim.split(text, "\n"), "", { width = width, wrap = true })
  vim.wo[window].linebreak = true
end

local function explain()
  local argument = { uri = vim.uri_from_bufnr(0), line = vim.api.nvim_win_get_cursor(0)[1] - 1 }
  client.execute("explain", { argument }, function(answer)
    float(answer.message)
  end)
end

local function info()
  local current = view()
  local lines = {}
  if type(current.profile) == "table" then
    table.insert(lines, "Profile: " .. current.profile.path)
  end
  for _, choice in ipairs(current.choices or {}) do
    table.insert(lines, ("%s: %s"):format(choice.title, standing(choice)))
  end
  for _, transform in ipairs(current.transforms or {}) do
    table.insert(lines, "Transform: " .. transform.text)
  end
  float(#lines > 0 and table.concat(lines, "\n") or "No profile is shown.")
end

---@param current costline.View
local function say_transforms(current)
  local texts = vim.tbl_map(function(transform)
    return transform.text
  end, current.transforms or {})
  say(#texts > 0 and table.concat(texts, " › ") or "no transforms")
end

--- Kinds that are about one function.
local TRANSFORMS = {
  "focus-function",
  "focus-self",
  "merge-function",
  "drop-function",
  "collapse-function-subtree",
  "collapse-recursion",
  "collapse-direct-recursion",
}

---@param arguments string[]
local function transform(arguments)
  local what, argument = arguments[1], table.concat(arguments, " ", 2)
  if what == "pop" or what == "clear" then
    client.execute(what == "pop" and "popTransform" or "clearTransforms", {}, say_transforms)
  elseif what ~= "push" or argument == "" then
    client.notify("expected `push KIND:NAME`, `push KIND` (of the function at the cursor), `pop` or `clear`")
  elseif vim.tbl_contains(TRANSFORMS, argument) then
    lists.function_at_cursor(function(name)
      client.execute("pushTransform", { ("%s:%s"):format(argument, name) }, say_transforms)
    end)
  else
    client.execute("pushTransform", { argument }, say_transforms)
  end
end

---@class costline.Subcommand
---@field about string
---@field run fun(arguments: string[], bang: boolean)
---@field complete? fun(arguments: string[]): string[] of the words before

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
    run = function()
      client.execute("reload", {}, function() end)
    end,
  },
  callers = {
    about = "who calls this function",
    run = function(_, bang)
      (bang and lists.walk_calls or lists.calls)("callers")
    end,
  },
  callees = {
    about = "whom this function calls",
    run = function(_, bang)
      (bang and lists.walk_calls or lists.calls)("callees")
    end,
  },
  hotspots = {
    about = "the hottest functions or lines",
    run = function(arguments)
      lists.hotspots(arguments[1] == "lines" and "line" or "function")
    end,
    complete = first_of({ "functions", "lines" }),
  },
  tree = {
    about = "walk through the call tree",
    run = function(arguments)
      lists.tree(arguments[1] == "inverted")
    end,
    complete = first_of({ "inverted" }),
  },
  flamegraph = {
    about = "draw and open a flame graph",
    run = function()
      client.execute("flamegraph", {}, function(answer)
        say("flame graph: " .. answer.path)
      end)
    end,
  },
  explain = { about = "why this line shows what it shows", run = explain },
  transform = {
    about = "change stacks before they are summed",
    run = transform,
    complete = function(arguments)
      if #arguments == 0 then
        return { "push", "pop", "clear" }
      end
      return #arguments == 1 and arguments[1] == "push" and TRANSFORMS or {}
    end,
  },
  toggle = {
    about = "switch hints, lenses or heat on or off",
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
    run = function(_, bang)
      require("costline").next({ any = bang })
    end,
  },
  prev = {
    about = "go to the previous hot line",
    run = function(_, bang)
      require("costline").prev({ any = bang })
    end,
  },
  info = { about = "what is shown", run = info },
  paths = { about = "which files of the profile were found", run = lists.paths },
  restart = { about = "start the server again", run = client.restart },
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
  local subcommand = subcommands[name_of(action)]
  if subcommand then
    return subcommand.run({}, false)
  end
  client.execute(name_of(action), action.arguments, function() end)
end

--- Names of what the server can do without being told more.
---@param current costline.View
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

--- Everything that can be chosen and done.
---@param only_choices? boolean
function M.menu(only_choices)
  local current = view()
  local entries = vim.tbl_map(function(choice)
    local text = ("%s: %s"):format(choice.title, standing(choice))
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
      local is_there = found[name] or name == "view" or choice_of(name, current)
      if not is_there then
        table.insert(entries, {
          text = ("%s (:Costline %s)"):format(subcommand.about:gsub("^%l", string.upper), name),
          run = function()
            subcommand.run({}, false)
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

---@param command {fargs: string[], bang: boolean}
function M.run(command)
  local name = command.fargs[1]
  if not name then
    return M.menu()
  end
  local subcommand = subcommands[name]
  if subcommand then
    return subcommand.run(vim.list_slice(command.fargs, 2), command.bang)
  end
  local action = actions(view())[name]
  if not action then
    return client.notify(("there is no `:Costline %s`; <Tab> shows what there is"):format(name))
  end
  act(action)
end

---@param word string what the cursor is at the end of
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
    local subcommand = subcommands[arguments[1]]
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
