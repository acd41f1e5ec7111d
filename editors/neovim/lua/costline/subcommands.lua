--- The subcommands of `:Costline`. Their words come from the server where it has lists of them, so that a new one needs no new
--- plug-in.

local choices = require("costline.choices")
local client = require("costline.client")
local hot_words = require("costline.hot_words")
local info = require("costline.info")
local lists = require("costline.lists")
local options = require("costline.options")
local problems = require("costline.problems")

local M = {}

--- Lines that were selected, 1-based, both included.
---@class costline.LineRange
---@field first integer
---@field last integer

---@class costline.Subcommand
---@field about string
---@field needs_profile? true
---@field is_action? true whether it does what the server's action of this name does
---@field run fun(arguments: string[], bang: boolean, range?: costline.LineRange)
---@field complete? fun(arguments: string[], word: string): string[] completes the argument after these, which begins so

---@param path string
---@return string
local function absolute(path)
  return vim.fn.fnamemodify(vim.fn.expand(path), ":p")
end

--- Whether a baseline is an option or names kept runs. Otherwise it is a file.
---@param word string
---@return boolean
local function is_baseline_word(word)
  local is_kept = word:find("^previous:") or word:find("^git:")
  return is_kept ~= nil or vim.list_contains(choices.words_of("baseline"), word)
end

--- Words, and the files that a word may begin if it is not one of these.
---@param words string[]
---@param word string
---@return string[]
local function with_files(words, word)
  local is_path = word ~= "" and not vim.iter(words):any(function(one)
    return vim.startswith(one, word)
  end)
  return is_path and vim.fn.getcompletion(word, "file") or words
end

--- Git's branches and tags as baselines.
---@return string[]
local function git_words()
  local it = client.current()
  local command = { "git", "for-each-ref", "--format=git:%(refname:short)", "refs/heads", "refs/tags", "refs/remotes" }
  if not it or vim.fn.executable("git") == 0 then
    return {}
  end
  local listed = vim.system(command, { cwd = client.root(it), text = true }):wait(2000)
  return listed.code == 0 and vim.split(listed.stdout, "\n", { trimempty = true }) or {}
end

---@param current costline.View
local function echo_transforms(current)
  local texts = vim.tbl_map(function(transform)
    return transform.text
  end, current.transforms or {})
  client.echo(#texts > 0 and table.concat(texts, " › ") or "no transforms")
end

--- The kinds of transforms that take a function.
---@return costline.TransformKind[]
local function function_transforms()
  return vim
    .iter(client.current_catalog().transforms or {})
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
  end, client.current_catalog().groupings or {})
end

---@param arguments string[]
---@return string[]
local function complete_groupings(arguments)
  return #arguments == 0 and groupings() or {}
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

---@type table<string, costline.Subcommand>
M.all = {
  view = {
    about = "choose what is shown",
    run = function(arguments, bang)
      if arguments[1] then
        return choices.change(arguments[1], vim.list_slice(arguments, 2), bang)
      end
      require("costline.menu").pick(true)
    end,
    complete = function(arguments)
      if #arguments > 0 then
        return choices.words_of(arguments[1])
      end
      return vim.tbl_map(function(choice)
        return choice.key
      end, choices.view().choices or {})
    end,
  },
  profile = {
    about = "show another profile",
    run = function(arguments, bang)
      if arguments[1] then
        return choices.set("profile", absolute(arguments[1]))
      end
      local problem = not bang and #choices.words_of("profile") == 0 and problems.without_profile()
      if problem then
        return client.notify(problem)
      end
      choices.change("profile", {}, bang)
    end,
    complete = function(_, word)
      return with_files(choices.words_of("profile"), word)
    end,
  },
  baseline = {
    about = "compare with another profile",
    run = function(arguments, bang)
      local word = arguments[1]
      if word and not is_baseline_word(word) then
        return choices.set("baseline", absolute(word))
      end
      choices.change("baseline", { word }, bang)
    end,
    complete = function(_, word)
      if vim.startswith(word, "git:") then
        return git_words()
      end
      return with_files(choices.words_of("baseline"), word)
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
        return client.notify_missing()
      end
      local argument, problem = hot_words.argument(arguments)
      if not argument then
        return client.notify(problem)
      end
      local shown = client.shown(it)
      if argument.sort == "change" and shown and type(shown.baseline) ~= "table" then
        return client.notify("there is no baseline: choose one with :Costline baseline")
      end
      lists.hotspots(argument, bang)
    end,
    complete = hot_words.complete,
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
        client.echo("flame graph: " .. answer.path)
      end)
    end,
  },
  line = {
    about = "show the report on this line",
    needs_profile = true,
    run = function()
      info.line()
    end,
  },
  annotate = {
    about = "show the source of this file, or of a function, with columns of costs",
    needs_profile = true,
    run = function(arguments, _, range)
      require("costline.annotate").open(arguments[1], range)
    end,
    complete = function(arguments)
      return #arguments == 0 and require("costline.annotate").names() or {}
    end,
  },
  explain = { about = "explain what this line shows", run = info.explain },
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
  info = { about = "show what is active", run = info.show },
  paths = { about = "list the files of the profile", needs_profile = true, run = lists.paths },
  restart = { about = "restart the server", run = require("costline.server").restart },
  log = {
    about = "open the log of Neovim's language clients",
    run = function()
      vim.cmd.tabedit(vim.fn.fnameescape(vim.lsp.log.get_filename()))
    end,
  },
}

--- Runs a subcommand, unless it needs a profile and there is none.
---@param subcommand costline.Subcommand
---@param arguments string[]
---@param bang boolean
---@param range? costline.LineRange
function M.run(subcommand, arguments, bang, range)
  local problem = subcommand.needs_profile and problems.without_profile()
  if problem then
    return client.notify(problem)
  end
  subcommand.run(arguments, bang, range)
end

return M
