--- The menus of `:Costline`: one with a key for each command, which shows the state, and a list of everything.

local actions = require("costline.actions")
local cells = require("costline.cells")
local choices = require("costline.choices")
local problems = require("costline.problems")
local subcommands = require("costline.subcommands")

local M = {}

local marks = vim.api.nvim_create_namespace("costline.menu")

--- A list of all choices, actions and subcommands (`vim.ui.select`).
---@param only_choices? boolean
function M.pick(only_choices)
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

--- A key of the menu.
---@class costline.MenuKey
---@field [1] string the key
---@field [2] string its text
---@field [3] string the subcommand
---@field [4]? string[] its arguments

---@type {title: string, keys: costline.MenuKey[]}[]
local GROUPS = {
  {
    title = "Lists",
    keys = {
      { "h", "hot spots", "hotspots" },
      { "L", "hot lines", "hotspots", { "lines" } },
      { "t", "call tree", "tree" },
      { "F", "flame graph", "flamegraph" },
      { "n", "next hot line", "next" },
      { "p", "previous hot line", "prev" },
    },
  },
  {
    title = "At the cursor",
    keys = {
      { "c", "callers", "callers" },
      { "e", "callees", "callees" },
      { "l", "report on the line", "line" },
      { "s", "annotated source", "annotate" },
      { "x", "explain the line", "explain" },
      { "o", "focus on function", "transform", { "push", "focus-function" } },
    },
  },
  {
    title = "Profile",
    keys = {
      { "r", "record", "record" },
      { "f", "fix a problem", "fix" },
      { "g", "read it again", "reload" },
      { "i", "all that is shown", "info" },
    },
  },
}

--- The number of cells of a group.
local GROUP_WIDTH = 25

--- The texts of the menu, which keys do what, and colors.
---@class costline.MenuText
---@field lines string[]
---@field runs table<string, fun()>
---@field spans {line0: integer, from: integer, to: integer, group: string}[]
local Text = {}
Text.__index = Text

--- Adds a text to the last line.
---@param text string
---@param group? string
function Text:add(text, group)
  local line = self.lines[#self.lines]
  self.lines[#self.lines] = line .. text
  if group then
    table.insert(self.spans, { line0 = #self.lines - 1, from = #line, to = #line + #text, group = group })
  end
end

---@param key string
---@param run fun()
function Text:add_key(key, run)
  self:add(key .. "  ", "Special")
  self.runs[key] = run
end

--- Adds the commands, a column for each group.
function Text:add_commands()
  table.insert(self.lines, "")
  for _, group in ipairs(GROUPS) do
    self:add(cells.left(group.title, GROUP_WIDTH), "Title")
  end
  for row = 1, #GROUPS[1].keys do
    table.insert(self.lines, "")
    for _, group in ipairs(GROUPS) do
      local key = group.keys[row]
      if key then
        self:add_key(key[1], function()
          subcommands.run(subcommands.all[key[3]], key[4] or {}, false)
        end)
      end
      self:add(cells.left(key and key[2] or "", GROUP_WIDTH - (key and 3 or 0)))
    end
  end
end

--- Adds what can be chosen, with what is chosen. The keys are the digits from 1, in the order of the server.
---@param current costline.View|{}
function Text:add_choices(current)
  vim.list_extend(self.lines, { "", "" })
  self:add("What is shown", "Title")
  for index, choice in ipairs(vim.list_slice(current.choices or {}, 1, 9)) do
    table.insert(self.lines, "")
    self:add_key(tostring(index), function()
      choices.pick(choice)
    end)
    self:add(cells.left(choice.title, GROUP_WIDTH - 3))
    self:add(cells.cut(choices.active_labels(choice), 2 * GROUP_WIDTH), "Identifier")
  end
  table.insert(self.lines, "")
  self:add_key("a", M.pick)
  self:add(cells.left("all choices and actions", 2 * GROUP_WIDTH - 3))
  self:add_key("q", function() end)
  self:add("close")
end

---@param current costline.View|{}
---@return costline.MenuText
local function text_of(current)
  local text = setmetatable({ lines = { "" }, runs = {}, spans = {} }, Text)
  local profile = type(current.profile) == "table" and current.profile
  local state = profile and ("%s · %s"):format(profile.name, current.status)
  text:add(cells.cut(state or problems.without_profile() or "no profile", 3 * GROUP_WIDTH))
  table.insert(text.lines, "")
  text:add_commands()
  text:add_choices(current)
  return text
end

--- Opens the menu with a key for each command.
function M.open()
  local text = text_of(choices.view())
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].filetype = "wipe", "costline-menu"
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, text.lines)
  vim.bo[bufnr].modifiable = false
  for _, span in ipairs(text.spans) do
    vim.api.nvim_buf_set_extmark(bufnr, marks, span.line0, span.from, { end_col = span.to, hl_group = span.group })
  end
  local width = math.min(3 * GROUP_WIDTH, vim.o.columns - 2)
  local height = math.min(#text.lines, vim.o.lines - 3)
  local window = vim.api.nvim_open_win(bufnr, true, {
    relative = "editor",
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    style = "minimal",
    border = "rounded",
    title = " Costline ",
  })
  vim.wo[window].wrap = false
  local function close()
    if vim.api.nvim_win_is_valid(window) then
      vim.api.nvim_win_close(window, true)
    end
  end
  local function map(key, run)
    vim.keymap.set("n", key, function()
      close()
      run()
    end, { buffer = bufnr, nowait = true })
  end
  for key, run in pairs(text.runs) do
    map(key, run)
  end
  map("<Esc>", function() end)
  vim.api.nvim_create_autocmd("WinLeave", { buffer = bufnr, once = true, callback = close })
end

return M
