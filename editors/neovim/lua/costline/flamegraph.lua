--- The flame graph in a window: a row of frames for each depth, callers above callees, or inverted.

local cells = require("costline.cells")
local client = require("costline.client")
local columns = require("costline.columns")
local highlight = require("costline.highlight")
local places = require("costline.places")
local sides = require("costline.side")
local transforms = require("costline.transforms")

local M = {}

--- The most frames that the server sends.
local MAX_FRAMES = 5000

local cursor_mark = vim.api.nvim_create_namespace("costline.flame")

--- What is drawn: a node with all its callees, or without some of them.
---@class costline.Zoom
---@field node costline.FunctionKey[] the path to the node, empty for the whole tree
---@field skip integer how many of the node's callees are left out, the hottest
---@field inverted boolean whether callers are below callees

--- A frame on the screen. Columns are 0-based bytes.
---@class costline.FlameCell
---@field from integer
---@field to integer exclusive
---@field index? integer of the frame in the answer, none for the row of the whole profile

---@class costline.Flame
---@field side costline.Side
---@field zooms costline.Zoom[] what was drawn before, and at the end what is drawn
---@field answer? costline.FlameGraph
---@field rows costline.FlameCell[][] by line
---@field requests integer
local Flame = {}
Flame.__index = Flame

---@param frame costline.FlameGraphFrame
---@return string
local function group_of(frame)
  local shade, strength = highlight.shade(frame)
  if shade ~= "Heat" then
    return strength > 0 and "CostlineFlame" .. shade or "CostlineFlameOther"
  end
  return places.non_null(frame.uri) and "CostlineFlame" .. strength or "CostlineFlameOther"
end

--- The name of a frame, as much of it as fits, and with a baseline how its total changed.
---@param frame costline.FlameGraphFrame
---@param width integer
---@return string
local function label(frame, width)
  local change = columns.costs(frame, "total").change
  local after = change and " " .. change or ""
  local text = frame.name .. after
  for _, name in ipairs(frame.shorterNames) do
    if vim.fn.strdisplaywidth(text) <= width then
      break
    end
    text = name .. after
  end
  return text
end

--- The path from the root to a frame.
---@param frames costline.FlameGraphFrame[]
---@param index integer
---@return costline.FunctionKey[]
local function path_of(frames, index)
  local path = {}
  local at = index
  while at do
    table.insert(path, 1, frames[at].key)
    local parent = places.non_null(frames[at].parent)
    at = parent and parent + 1
  end
  return path
end

--- Requests what is to be drawn, and draws it.
---@param zooms costline.Zoom[]
function Flame:load(zooms)
  local zoom = zooms[#zooms]
  ---@type costline.FlameGraphArgument
  local argument = { inline = true, limit = MAX_FRAMES, node = zoom.node, inverted = zoom.inverted }
  argument.skip = zoom.skip > 0 and zoom.skip or nil
  self.requests = self.requests + 1
  local number = self.requests
  ---@param answer costline.FlameGraph
  client.execute("flamegraph", { argument }, function(answer)
    if self.requests == number and vim.api.nvim_buf_is_valid(self.side.bufnr) then
      self.answer, self.zooms = answer, zooms
      self:draw()
      self:move_to_node()
    end
  end, self.side.bufnr)
end

--- Draws frames of one depth.
---@param row {index: integer, from: integer, to: integer}[] frames and their cells, from left to right
---@param line0 integer
---@param spans costline.Span[]
---@return string text
---@return costline.FlameCell[]
function Flame:draw_row(row, line0, spans)
  local parts, row_cells, column, bytes = {}, {}, 0, 0
  local function add(text)
    table.insert(parts, text)
    bytes = bytes + #text
  end
  for _, drawn in ipairs(row) do
    local frame = self.answer.frames[drawn.index]
    add((" "):rep(drawn.from - column))
    local from = bytes
    local width = drawn.to - drawn.from
    add(cells.exact("▏" .. vim.fn.strtrans(label(frame, width - 1)), width))
    table.insert(row_cells, { from = from, to = bytes, index = drawn.index })
    table.insert(spans, { line0 = line0, from = from, to = bytes, group = group_of(frame) })
    column = drawn.to
  end
  return table.concat(parts), row_cells
end

--- Draws the frames that are at least half a cell wide.
function Flame:draw()
  local width = vim.api.nvim_win_get_width(sides.window(self.side))
  local by_depth, hidden = {}, self.answer.omitted
  for index, frame in ipairs(self.answer.frames) do
    local from, to = math.floor(frame.left * width + 0.5), math.floor((frame.left + frame.width) * width + 0.5)
    if to > from then
      by_depth[frame.depth + 1] = by_depth[frame.depth + 1] or {}
      table.insert(by_depth[frame.depth + 1], { index = index, from = from, to = to })
    else
      hidden = hidden + 1
    end
  end
  local head = ("▏%s · %s"):format(sides.source(self.side), self.answer.totalText)
  if self.zooms[#self.zooms].inverted then
    head = head .. " · bottom-up"
  end
  if hidden > 0 then
    head = ("%s · too narrow to draw: %s%d"):format(head, self.answer.atLeast and "at least " or "", hidden)
  end
  local first = cells.exact(head, width)
  local lines, spans = { first }, { { line0 = 0, from = 0, to = #first, group = "CostlineFlameOther" } }
  self.rows = { { { from = 0, to = #first } } }
  for depth, row in ipairs(by_depth) do
    table.sort(row, function(a, b)
      return a.from < b.from
    end)
    lines[depth + 1], self.rows[depth + 1] = self:draw_row(row, depth, spans)
  end
  sides.draw(self.side, lines, spans)
  self:describe()
end

--- The frame under the cursor, and its cells.
---@return costline.FlameGraphFrame?
---@return costline.FlameCell?
---@return integer line
function Flame:at_cursor()
  local line, column = unpack(vim.api.nvim_win_get_cursor(sides.window(self.side)))
  for _, cell in ipairs(self.rows[line] or {}) do
    if cell.from <= column and column < cell.to then
      return self.answer.frames[cell.index], cell, line
    end
  end
  return nil, nil, line
end

--- Shows the frame under the cursor above the window, and marks it.
function Flame:describe()
  vim.api.nvim_buf_clear_namespace(self.side.bufnr, cursor_mark, 0, -1)
  local frame, cell, line = self:at_cursor()
  if not frame or not cell then
    return sides.head(self.side, "Flame graph · <CR>: zoom · <BS>: back · gd: source · g?: keys")
  end
  sides.head(
    self.side,
    ("%s  %s  %s"):format(vim.fn.strtrans(frame.name), frame.text, vim.fn.strtrans(frame.placeText))
  )
  local mark = { end_col = cell.to, hl_group = "CostlineFlameCursor", priority = 5000 }
  vim.api.nvim_buf_set_extmark(self.side.bufnr, cursor_mark, line - 1, cell.from, mark)
end

--- Moves the cursor to the node that was zoomed in on.
function Flame:move_to_node()
  vim.api.nvim_win_set_cursor(sides.window(self.side), { math.min(self.answer.above + 1, #self.rows), 0 })
  self:describe()
end

--- Moves the cursor to the next or previous frame of the row.
---@param step 1|-1
function Flame:move(step)
  local line, column = unpack(vim.api.nvim_win_get_cursor(0))
  local row = self.rows[line] or {}
  for index = step == 1 and 1 or #row, step == 1 and #row or 1, step do
    local cell = row[index]
    if (step == 1 and cell.from > column) or (step == -1 and cell.to <= column) then
      return vim.api.nvim_win_set_cursor(0, { line, cell.from })
    end
  end
end

function Flame:go_right()
  self:move(1)
end

function Flame:go_left()
  self:move(-1)
end

---@param zoom costline.Zoom
function Flame:zoom_to(zoom)
  self:load(vim.list_extend(vim.list_slice(self.zooms), { zoom }))
end

--- Draws the frame under the cursor as wide as the window.
function Flame:zoom()
  local _, cell = self:at_cursor()
  if not cell then
    return
  end
  local node = cell.index and path_of(self.answer.frames, cell.index) or {}
  local now = self.zooms[#self.zooms]
  if now.skip > 0 or not vim.deep_equal(node, now.node) then
    self:zoom_to({ node = node, skip = 0, inverted = now.inverted })
  end
end

--- Draws the whole tree the other way round: with callers below callees, or callees below callers.
function Flame:invert()
  self:zoom_to({ node = {}, skip = 0, inverted = not self.zooms[#self.zooms].inverted })
end

--- Draws what was drawn before.
function Flame:back()
  if #self.zooms > 1 then
    self:load(vim.list_slice(self.zooms, 1, #self.zooms - 1))
  end
end

--- Draws the callees of the node that are colder than those that are drawn.
function Flame:show_colder()
  local callees = #(self.rows[self.answer.above + 2] or {})
  if callees == 0 or self.answer.omitted == 0 and callees == self:callees() then
    return client.notify("all callees of this node are drawn", vim.log.levels.INFO)
  end
  local now = self.zooms[#self.zooms]
  self:zoom_to({ node = now.node, skip = now.skip + callees, inverted = now.inverted })
end

--- The number of callees of the node in the answer.
---@return integer
function Flame:callees()
  return #vim.tbl_filter(function(frame)
    return frame.depth == self.answer.above
  end, self.answer.frames)
end

function Flame:transform()
  local frame, cell = self:at_cursor()
  if frame and cell then
    local node = { name = frame.name, path = path_of(self.answer.frames, cell.index) }
    transforms.pick(node, self.zooms[#self.zooms].inverted, self.side.bufnr)
  end
end

---@return costline.Place?
function Flame:place()
  local frame = self:at_cursor()
  return frame and places.of(frame.uri, frame.line0)
end

---@param flame costline.Flame
---@return costline.Key[]
local function keys(flame)
  ---@param name string
  local function method(name)
    return function()
      if flame.answer then
        flame[name](flame)
      end
    end
  end
  return {
    { { "<CR>", "<2-LeftMouse>" }, "zoom: draw the frame as wide as the window", method("zoom") },
    { "<BS>", "go back to what was drawn before", method("back") },
    { { "l", "<Tab>" }, "go to the next frame of the row", method("go_right") },
    { { "h", "<S-Tab>" }, "go to the previous frame of the row", method("go_left") },
    { ">", "draw the callees that are too narrow, without the others", method("show_colder") },
    { "i", "invert: bottom-up, or top-down again", method("invert") },
    { "t", "show, merge or hide the node", method("transform") },
  }
end

--- Opens the flame graph. Goes to its window if the project has one.
function M.open()
  if not client.current() then
    return client.notify_missing()
  end
  if sides.go_to("flamegraph") then
    return
  end
  local flame = setmetatable({ zooms = { { node = {}, skip = 0, inverted = false } }, rows = {}, requests = 0 }, Flame)
  flame.side = sides.open({
    name = "flamegraph",
    owner = flame,
    split = ("botright %dsplit"):format(math.floor(vim.o.lines / 2)),
    place = function()
      return flame.answer and flame:place()
    end,
    on_move = function()
      if flame.answer then
        flame:describe()
      end
    end,
    on_change = function()
      flame:load(flame.zooms)
    end,
    on_resize = function()
      if flame.answer then
        flame:draw()
      end
    end,
  })
  vim.wo.cursorline = false
  sides.map(flame.side, keys(flame))
  flame:load(flame.zooms)
end

return M
