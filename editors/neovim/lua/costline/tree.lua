--- The call tree in a window beside the code.

local cells = require("costline.cells")
local client = require("costline.client")
local columns = require("costline.columns")
local highlight = require("costline.highlight")
local places = require("costline.places")
local sides = require("costline.side")
local transforms = require("costline.transforms")

local non_null = places.non_null

local M = {}

--- The number of cells of the longest bar, and a bar of each number of eighths of a cell below 8.
local BAR_CELLS = 8
local EIGHTHS = { [0] = "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" }
--- How many children a node shows at first, and how many more at a time.
local PAGE = 50
--- How many levels are indented, of wide windows. Deeper ones have their number.
local MAX_INDENT = 12

--- A node of the tree, or the top of it, which has no `node`.
---@class costline.TreeRow
---@field node? costline.TreeNode
---@field parent? costline.TreeRow
---@field level integer
---@field id string
---@field open boolean
---@field limit integer how many children are shown
---@field children? costline.TreeRow[] nil before they are requested
---@field more integer the number of children that are not shown

--- What a line shows.
---@class costline.TreeLine
---@field row costline.TreeRow
---@field is_more boolean whether the line is about the children of the row that are not shown

---@class costline.Tree
---@field side costline.Side
---@field inverted boolean
---@field sort costline.CallTreeSort
---@field top costline.TreeRow
---@field opened table<string, integer> how many children of a row are shown, by its id, if it was opened
---@field transforms string|vim.NIL|nil those under which the paths of the rows were found
---@field lines costline.TreeLine[]
---@field loads integer the number of times that the whole tree was requested
local Tree = {}
Tree.__index = Tree

---@return costline.TreeRow
local function top_row()
  return { level = -1, id = "", open = true, limit = PAGE, more = 0 }
end

---@param parent costline.TreeRow
---@param key costline.FunctionKey
---@return string
local function id_below(parent, key)
  return parent.id .. vim.json.encode({ key.name, key.file or vim.NIL, key.lib or vim.NIL, key.start or vim.NIL })
end

---@param parent costline.TreeRow
---@param node costline.TreeNode
---@return costline.TreeRow
local function row_below(parent, node)
  return {
    node = node,
    parent = parent,
    level = parent.level + 1,
    id = id_below(parent, node.key),
    open = false,
    limit = PAGE,
    more = 0,
  }
end

--- Asks about the children of a row. There is no answer if the tree was requested again meanwhile, or closed.
---@param row costline.TreeRow
---@param question costline.CallTreeArgument
---@param on_answer fun(tree?: costline.CallTree)
function Tree:ask(row, question, on_answer)
  question.path = row.node and row.node.path or nil
  question.transforms = row.node and self.transforms or nil
  question.inverted, question.sort = self.inverted, self.sort
  local loads = self.loads
  client.execute("callTree", { question }, function(answer)
    if self.loads == loads and vim.api.nvim_buf_is_valid(self.side.bufnr) then
      on_answer(non_null(answer))
    end
  end, self.side.bufnr)
end

--- Requests the first children of a row. There may be more than an answer has.
---@param row costline.TreeRow
---@param on_loaded fun()
function Tree:load(row, on_loaded)
  local nodes = {}
  ---@param tree? costline.CallTree
  local function add(tree)
    vim.list_extend(nodes, tree and tree.nodes or {})
    local more = tree and tree.more or 0
    if more > 0 and #nodes < row.limit then
      return self:ask(row, { skip = #nodes, limit = row.limit - #nodes }, add)
    end
    local before = {}
    for _, child in ipairs(row.children or {}) do
      before[child.id] = child
    end
    -- Rows that are open stay so.
    row.children = vim.tbl_map(function(node)
      local child = row_below(row, node)
      return before[child.id] or child
    end, nodes)
    row.more = more
    self.transforms = tree and tree.transforms
    on_loaded()
  end
  self:ask(row, { limit = row.limit }, add)
end

--- Requests the tree again, with the same rows open.
function Tree:reload()
  local line = self:line()
  local id = line and line.row.id
  local top = top_row()
  top.limit = self.top.limit
  self.loads = self.loads + 1
  local pending = 0
  local function load(row)
    pending = pending + 1
    self:load(row, function()
      for _, child in ipairs(row.children) do
        if self.opened[child.id] and child.node.hasChildren then
          child.open, child.limit = true, self.opened[child.id]
          load(child)
        end
      end
      pending = pending - 1
      if pending == 0 then
        self.top = top
        self:draw(id)
      end
    end)
  end
  load(top)
end

--- Opens a row.
---@param row costline.TreeRow
---@param on_open? fun()
function Tree:open(row, on_open)
  if row.node and not row.node.hasChildren then
    return
  end
  local function opened()
    row.open, self.opened[row.id] = true, row.limit
    self:draw()
    if on_open then
      on_open()
    end
  end
  if row.children then
    return opened()
  end
  self:load(row, opened)
end

---@param row costline.TreeRow
function Tree:close(row)
  row.open, self.opened[row.id] = false, nil
  self:draw(row.id)
end

--- What the line under the cursor shows.
---@return costline.TreeLine?
function Tree:line()
  return self.lines[vim.api.nvim_win_get_cursor(sides.window(self.side))[1]]
end

--- Opens or closes the row under the cursor, or shows more rows.
function Tree:toggle()
  local line = self:line()
  if not line then
    return
  elseif line.is_more then
    line.row.limit = line.row.limit + PAGE
    self.opened[line.row.id] = line.row.limit
    return self:load(line.row, function()
      self:draw()
    end)
  elseif line.row.open then
    return self:close(line.row)
  end
  self:open(line.row)
end

--- Closes the row under the cursor, or the row above it if it is closed.
function Tree:fold()
  local line = self:line()
  local row = line and (line.row.open and line.row or line.row.parent)
  if row and row.node then
    self:close(row)
  end
end

function Tree:fold_all()
  self.opened = {}
  for _, line in ipairs(self.lines) do
    line.row.open = line.row == self.top
  end
  self:draw()
end

--- Opens a row and the rows on a path below it, and moves the cursor to the last one.
---@param row costline.TreeRow
---@param path costline.HotNode[]
---@param at integer the index of the next row
function Tree:open_path(row, path, at)
  self:move_to(row.id)
  local step = path[at]
  local function open()
    self:open(row, function()
      local id = step and id_below(row, step.key)
      local child = vim.iter(row.children):find(function(below)
        return below.id == id
      end)
      if child then
        self:open_path(child, path, at + 1)
      else
        self:move_to(row.id)
      end
    end)
  end
  if not step or step.rank < row.limit then
    return open()
  end
  row.limit = (math.floor(step.rank / PAGE) + 1) * PAGE
  self:load(row, open)
end

function Tree:expand_hot_path()
  local line = self:line()
  local from = line and not line.is_more and line.row or self.top
  self:ask(from, { limit = 0, hotPath = true }, function(tree)
    self:open_path(from, tree and tree.hotPath or {}, 1)
  end)
end

--- Moves the cursor to a row.
---@param id string
function Tree:move_to(id)
  for number, line in ipairs(self.lines) do
    if line.row.id == id and not line.is_more then
      vim.api.nvim_win_set_cursor(sides.window(self.side), { number, 0 })
    end
  end
end

function Tree:go_to_parent()
  local line = self:line()
  local target = line and (line.is_more and line.row or line.row.parent)
  if target then
    self:move_to(target.id)
  end
end

--- Lets the user select a row of the path to the row under the cursor.
function Tree:walk_path()
  local line = self:line()
  local row, path = line and line.row, {}
  while row and row.node do
    table.insert(path, 1, row)
    row = row.parent
  end
  local function format(step)
    return ("%s  %s  %s"):format(step.node.text, step.node.name, step.node.placeText)
  end
  vim.ui.select(path, { prompt = "Path", format_item = format, kind = "costline" }, function(step)
    if step then
      self:move_to(step.id)
    end
  end)
end

---@return costline.Place?
function Tree:place()
  local line = self:line()
  local node = line and line.row.node
  return node and places.of(node.uri, node.line0, node.item) or nil
end

function Tree:invert()
  self.inverted, self.top, self.opened = not self.inverted, top_row(), {}
  self:reload()
end

--- Sorts rows by the next key.
function Tree:sort_by_next()
  local it = client.current(self.side.bufnr)
  local catalog = it and client.catalog(it)
  local orders, at = catalog and catalog.callTreeOrders or {}, 0
  for index, order in ipairs(orders) do
    at = order.sort == self.sort and index or at
  end
  local following = orders[at % #orders + 1]
  if following then
    self.sort = following.sort
    self:reload()
  end
end

function Tree:transform()
  local line = self:line()
  if line and line.row.node and not line.is_more then
    transforms.pick(line.row.node, self.inverted, self.side.bufnr)
  end
end

---@param share number
---@return string
local function bar(share)
  local eighths = math.floor(math.min(math.max(share, 0), 1) * BAR_CELLS * 8 + 0.5)
  local text = ("█"):rep(math.floor(eighths / 8)) .. EIGHTHS[eighths % 8]
  return text .. (" "):rep(BAR_CELLS - vim.fn.strdisplaywidth(text))
end

--- What a node costs. Bottom-up nodes have one cost.
---@param node costline.TreeNode
---@param inverted boolean
---@return {total: string, own: string, change: string}
local function costs(node, inverted)
  local row = columns.costs(node, "total")
  return {
    total = row.total or node.text,
    own = not inverted and row.total and row.self or "",
    change = row.change or "",
  }
end

--- The lines of the open rows below a row.
---@param row costline.TreeRow
---@param lines costline.TreeLine[]
local function collect(row, lines)
  for _, child in ipairs(row.children or {}) do
    table.insert(lines, { row = child, is_more = false })
    if child.open then
      collect(child, lines)
    end
  end
  if row.more > 0 then
    table.insert(lines, { row = row, is_more = true })
  end
end

---@param level integer
---@param most integer how many levels are indented
---@return string
local function indent_of(level, most)
  local deeper = level > most and ("+%d "):format(level - most) or ""
  return ("  "):rep(math.min(level, most)) .. deeper
end

--- Draws the rows, and keeps the cursor on its row.
---@param id? string the row to move the cursor to
function Tree:draw(id)
  local line = self:line()
  id = id or (line and line.row.id)
  self.lines = {}
  collect(self.top, self.lines)
  local it = client.current(self.side.bufnr)
  local view = it and client.shown(it)
  local titles = {
    total = "total",
    own = self.inverted and "" or "self",
    change = view and non_null(view.baseline) and "change" or "",
  }
  local widths = vim.tbl_map(vim.fn.strdisplaywidth, titles)
  for _, shown in ipairs(self.lines) do
    if not shown.is_more then
      for key, text in pairs(costs(shown.row.node, self.inverted)) do
        widths[key] = math.max(widths[key], vim.fn.strdisplaywidth(text))
      end
    end
  end
  ---@param row {total: string, own: string, change: string}
  ---@return string
  local function aligned(row)
    local parts = {}
    for _, key in ipairs({ "total", "own", "change" }) do
      if widths[key] > 0 then
        table.insert(parts, cells.right(row[key], widths[key]))
      end
    end
    return table.concat(parts, " ")
  end
  local texts, spans = {}, {}
  -- Names keep most of the width.
  local width = vim.api.nvim_win_get_width(sides.window(self.side))
  local most = math.min(MAX_INDENT, math.floor(width / 8))
  for index, shown in ipairs(self.lines) do
    local indent = indent_of(shown.row.level + (shown.is_more and 1 or 0), most)
    if shown.is_more then
      local blank = aligned({ total = "", own = "", change = "" })
      local text = (" "):rep(BAR_CELLS + 1 + #blank + 1) .. indent .. ("… %d more"):format(shown.row.more)
      table.insert(texts, text)
      table.insert(spans, { line0 = index - 1, from = 0, to = #text, group = "CostlineHint" })
    else
      local node = shown.row.node
      local drawn = bar(node.share)
      local marker = not node.hasChildren and " " or shown.row.open and "▾" or "▸"
      local front = ("%s %s %s%s "):format(drawn, aligned(costs(node, self.inverted)), indent, marker)
      local name = vim.fn.strtrans(node.shortName) .. (node.recursive and " ↻" or "")
      local place = vim.trim(("%s  %s"):format(node.placeText, node.qualifier or ""))
      table.insert(texts, ("%s%s  %s"):format(front, name, vim.fn.strtrans(place)))
      table.insert(spans, { line0 = index - 1, from = 0, to = #drawn, group = highlight.bar(node) })
      table.insert(spans, { line0 = index - 1, from = #front + #name, to = #texts[index], group = "CostlineHint" })
    end
  end
  sides.draw(self.side, #texts > 0 and texts or { "No profile is shown, or no sample has a stack." }, spans)
  local name = self.inverted and "Call tree, bottom-up" or "Call tree"
  local about = (" · %s · by %s · g?: keys"):format(sides.source(self.side), self.sort)
  sides.head(self.side, about, ("%s %s   %s"):format((" "):rep(BAR_CELLS), aligned(titles), name))
  if id then
    self:move_to(id)
  end
end

---@param tree costline.Tree
---@return costline.Key[]
local function keys(tree)
  ---@param name string
  local function method(name)
    return function()
      tree[name](tree)
    end
  end
  return {
    { { "<CR>", "<Tab>", "za", "zo" }, "open or close the node", method("toggle") },
    { "zc", "close the node, or the one above it", method("fold") },
    { "zM", "close all nodes", method("fold_all") },
    { "e", "expand the hot path below the node", method("expand_hot_path") },
    { "-", "go to the node above", method("go_to_parent") },
    { "f", "go to a node of the path", method("walk_path") },
    { "s", "sort by the next key: total, self, name", method("sort_by_next") },
    { "i", "invert: bottom-up, or top-down again", method("invert") },
    { "t", "show, merge or hide the node", method("transform") },
  }
end

--- Opens the call tree, top-down or `inverted`: bottom-up. Goes to its window if the project has one.
---@param inverted boolean
function M.open(inverted)
  if not client.current() then
    return client.notify_missing()
  end
  local shown = sides.go_to("tree")
  if shown then
    if shown.inverted ~= inverted then
      shown:invert()
    end
    return
  end
  local tree =
    setmetatable({ inverted = inverted, sort = "total", top = top_row(), opened = {}, lines = {}, loads = 0 }, Tree)
  tree.side = sides.open({
    name = "tree",
    owner = tree,
    split = ("botright vertical %dsplit"):format(math.min(90, math.floor(vim.o.columns / 2))),
    place = function()
      return tree:place()
    end,
    on_move = function() end,
    on_change = function()
      tree:reload()
    end,
  })
  sides.map(tree.side, keys(tree))
  tree:reload()
end

return M
