--- The source of a file or function with columns of costs left of the code, in a tab page of its own.

local client = require("costline.client")
local columns = require("costline.columns")
local info = require("costline.info")
local places = require("costline.places")
local sides = require("costline.side")

local non_null = places.non_null

local M = {}

local cost_marks = vim.api.nvim_create_namespace("costline.annotate")
local callee_marks = vim.api.nvim_create_namespace("costline.annotate.callees")

--- Lines of a document.
---@class costline.Source
---@field uri string
---@field first0 integer
---@field last0 integer

---@class costline.Annotated
---@field side costline.Side
---@field source costline.Source
---@field code string[]
---@field margin integer the number of cells of the costs
---@field opened table<integer, true> the lines (0-based, of the window) whose callees are shown
local Annotated = {}
Annotated.__index = Annotated

--- Draws the costs.
---@param selection? costline.Selection
function Annotated:draw(selection)
  ---@type table<integer, costline.SelectedLine>
  local by_line = {}
  for _, line in ipairs(selection and selection.lines or {}) do
    by_line[line.line0] = line
  end
  local rows, digits = {}, #tostring(self.source.last0 + 1)
  for index in ipairs(self.code) do
    local line0 = self.source.first0 + index - 1
    local row = by_line[line0] and columns.costs(by_line[line0], "total") or {}
    row.name = ("%" .. digits .. "d"):format(line0 + 1)
    table.insert(rows, row)
  end
  local heading, lines = columns.align(rows, vim.o.columns)
  self.margin = vim.fn.strdisplaywidth(heading)
  sides.draw(self.side, self.code, {})
  vim.api.nvim_buf_clear_namespace(self.side.bufnr, cost_marks, 0, -1)
  for index, line in ipairs(lines) do
    local costs, number = line.text:sub(1, line.costs), line.text:sub(line.costs + 1)
    vim.api.nvim_buf_set_extmark(self.side.bufnr, cost_marks, index - 1, 0, {
      virt_text = { { costs, line.group }, { number .. " │ ", "CostlineHint" } },
      virt_text_pos = "inline",
    })
  end
  local name = vim.fs.basename(vim.uri_to_fname(self.source.uri))
  local about = ("%s · %s · <CR>: callees · g?: keys"):format(name, sides.source(self.side))
  sides.head(self.side, about, heading .. (" "):rep(3))
  for line0 in pairs(self.opened) do
    self:show_callees(line0)
  end
end

---@param first0 integer of the document
---@param last0 integer
---@param on_selection fun(selection?: costline.Selection)
function Annotated:ask(first0, last0, on_selection)
  ---@type costline.SelectionArgument
  local argument = { uri = self.source.uri, firstLine0 = first0, lastLine0 = last0 }
  client.execute("selection", { argument }, function(answer)
    if vim.api.nvim_buf_is_valid(self.side.bufnr) then
      on_selection(non_null(answer))
    end
  end, self.side.bufnr)
end

function Annotated:load()
  self:ask(self.source.first0, self.source.last0, function(selection)
    self:draw(selection)
  end)
end

--- The line under the cursor, 0-based.
---@return integer
function Annotated:line0()
  return vim.api.nvim_win_get_cursor(sides.window(self.side))[1] - 1
end

--- Shows what a line calls below it.
---@param line0 integer of the window
function Annotated:show_callees(line0)
  local at = self.source.first0 + line0
  self:ask(at, at, function(selection)
    local rows = vim.tbl_map(function(callee)
      local row = columns.costs(callee, "total")
      row.name, row.note = columns.name(callee)
      row.place = callee.placeText
      return row
    end, selection and selection.callees or {})
    if #rows == 0 then
      self.opened[line0] = nil
      return client.notify("this line calls nothing that has a cost", vim.log.levels.INFO)
    end
    local _, lines = columns.align(rows, vim.o.columns - self.margin)
    local below = vim.tbl_map(function(line)
      local indent = (" "):rep(self.margin - line.costs)
      local text = line.text
      return {
        { indent .. text:sub(1, line.costs), line.group },
        { text:sub(line.costs + 1, line.name) },
        { text:sub(line.name + 1), "CostlineHint" },
      }
    end, lines)
    vim.api.nvim_buf_set_extmark(self.side.bufnr, callee_marks, line0, 0, { id = line0 + 1, virt_lines = below })
  end)
end

--- Shows what the line under the cursor calls, or hides it.
function Annotated:toggle()
  local line0 = self:line0()
  if self.opened[line0] then
    self.opened[line0] = nil
    return vim.api.nvim_buf_del_extmark(self.side.bufnr, callee_marks, line0 + 1)
  end
  self.opened[line0] = true
  self:show_callees(line0)
end

---@return costline.Place
function Annotated:place()
  return { uri = self.source.uri, line0 = self.source.first0 + self:line0() }
end

--- Closes the tab page, and goes to the line in the window of the code.
function Annotated:go_to_source()
  local place = self:place()
  vim.api.nvim_buf_delete(self.side.bufnr, { force = true })
  places.go(place)
end

--- Opens the annotated lines of the current buffer.
---@param first0 integer
---@param last0 integer
local function open(first0, last0)
  local source_bufnr, cursor = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)
  local source = { uri = vim.uri_from_bufnr(source_bufnr), first0 = first0, last0 = last0 }
  local code = vim.api.nvim_buf_get_lines(source_bufnr, first0, last0 + 1, false)
  local annotated = setmetatable({ source = source, code = code, margin = 0, opened = {} }, Annotated)
  annotated.side = sides.open({
    name = "annotate",
    owner = annotated,
    split = "tab split",
    place = function()
      return annotated:place()
    end,
    on_move = function() end,
    on_change = function()
      annotated:load()
    end,
  })
  local bufnr = annotated.side.bufnr
  vim.bo[bufnr].tabstop = vim.bo[source_bufnr].tabstop
  local highlighter = vim.treesitter.highlighter.active[source_bufnr]
  if highlighter then
    vim.treesitter.start(bufnr, highlighter.tree:lang())
  else
    vim.bo[bufnr].syntax = vim.bo[source_bufnr].syntax
  end
  sides.draw(annotated.side, code, {})
  local line = math.min(math.max(cursor[1] - first0, 1), #code)
  vim.api.nvim_win_set_cursor(0, { line, cursor[2] })
  sides.map(annotated.side, {
    {
      { "<CR>", "<Tab>", "za" },
      "show or hide what the line calls",
      function()
        annotated:toggle()
      end,
    },
    {
      "K",
      "show the report on the line",
      function()
        info.line(annotated:place(), bufnr)
      end,
    },
    {
      "gd",
      "go to the source, and close this tab page",
      function()
        annotated:go_to_source()
      end,
    },
  })
  annotated:load()
end

--- The functions with these letters in their names, hottest first. Waits up to 2 s for the answer.
---@param filter? string
---@return costline.HotRow[]
local function functions(filter)
  local it = client.current()
  ---@type costline.HotSpotsArgument
  local argument = { by = "function", limit = 200, filter = filter }
  local params = { command = "costline.hotspots", arguments = { argument } }
  ---@type costline.HotSpots?
  local answer = it and client.request_sync(it, "workspace/executeCommand", params)
  return answer and answer.functions or {}
end

--- The names of the functions whose source is in the project, for completion.
---@return string[]
function M.names()
  local names = {}
  for _, row in ipairs(functions()) do
    if non_null(row.uri) then
      table.insert(names, row.title)
    end
  end
  return names
end

--- Shows the source of a function.
---@param name string
local function open_function(name)
  local rows = functions(name)
  local row = vim.iter(rows):find(function(one)
    return one.title == name
  end) or rows[1]
  local item = row and non_null(row.uri) and row.item
  if not item then
    return client.notify(("no function of the project with a cost is called `%s`"):format(name))
  end
  places.go({ uri = item.uri, line0 = item.selectionRange.start.line })
  -- The server knows a document once it is open.
  vim.wait(2000, function()
    return #client.all(vim.api.nvim_get_current_buf()) > 0
  end, 20)
  open(item.range.start.line, item.range["end"].line)
end

--- Shows the source of a function, else the selected lines, else all of the current file.
---@param name? string
---@param range? costline.LineRange
function M.open(name, range)
  if name then
    return open_function(name)
  elseif vim.bo.buftype ~= "" then
    return client.notify("this is no file with source code")
  end
  local last = vim.api.nvim_buf_line_count(0)
  open(range and range.first - 1 or 0, range and range.last - 1 or last - 1)
end

return M
