--- Rows with aligned costs before the name and the place of what they are about.

local cells = require("costline.cells")
local highlight = require("costline.highlight")
local places = require("costline.places")

local non_null = places.non_null

local M = {}

--- What a row shows. Costs that no row has, have no column.
---@class costline.Columns
---@field first? string what rows are sorted by, if that is none of the following; the list gives its title
---@field charged? string the self cost with libraries
---@field self? string
---@field total? string
---@field change? string since the baseline
---@field calls? string how many there are
---@field name string
---@field place? string
---@field note? string what tells names apart, or the code of a line
---@field group? string the highlight group of the costs

--- The titles of the columns with costs, in their order.
---@type {key: string, title: string}[]
local COSTS = {
  { key = "first", title = "" },
  { key = "charged", title = "with libs" },
  { key = "self", title = "self" },
  { key = "total", title = "total" },
  { key = "change", title = "change" },
  { key = "calls", title = "calls" },
}

--- What a row has of the cost in an answer.
---@param cost table an object of the server with `selfText`, `totalText`, `change` and so on
---@param part "self"|"total" whose change is shown
---@return costline.Columns
function M.costs(cost, part)
  local change = cost.change and non_null(cost.change[part])
  return {
    self = non_null(cost.selfText),
    total = non_null(cost.totalText),
    change = change and not change.mayBeNoise and non_null(change.text) or nil,
    group = highlight.bar(cost),
    name = "",
  }
end

--- The name of a function in a row, marked if it is called recursively, and what precedes it.
---@param named {shortName: string, qualifier?: string, recursive?: boolean}
---@return string name
---@return string? qualifier
function M.name(named)
  return (named.recursive and "↻ " or "") .. named.shortName, named.qualifier
end

--- A row as text. Offsets are in bytes.
---@class costline.Line
---@field text string
---@field costs integer where the costs end
---@field name integer where the name ends
---@field group string the highlight group of the costs

---@param rows costline.Columns[]
---@param get fun(row: costline.Columns): string?
---@return integer
local function widest(rows, get)
  local width = 0
  for _, row in ipairs(rows) do
    width = math.max(width, vim.fn.strdisplaywidth(get(row) or ""))
  end
  return width
end

--- Aligns rows. Names are whole; a long one moves its place to the right.
---@param rows costline.Columns[]
---@param width integer the number of cells of the window
---@param titles? table<string, string> other titles of columns
---@return string heading of the columns with costs
---@return costline.Line[]
function M.align(rows, width, titles)
  local heading, columns = {}, {}
  for _, column in ipairs(COSTS) do
    local key = column.key
    local longest = widest(rows, function(row)
      return row[key]
    end)
    if longest > 0 then
      local title = titles and titles[key] or column.title
      local cell = math.max(longest, vim.fn.strdisplaywidth(title))
      table.insert(columns, { key = key, width = cell })
      table.insert(heading, cells.right(title, cell))
    end
  end
  local start = table.concat(heading, " ")
  local half = math.floor(math.max(width - #start, 0) / 2)
  local name_width = math.min(
    half,
    widest(rows, function(row)
      return row.name
    end)
  )
  local place_width = widest(rows, function(row)
    return row.place
  end)
  ---@param row costline.Columns
  ---@return costline.Line
  local function line(row)
    local costs = {}
    for _, column in ipairs(columns) do
      table.insert(costs, cells.right(row[column.key] or "", column.width))
    end
    local before = table.concat(costs, " ")
    local named = ("%s  %s"):format(before, vim.fn.strtrans(row.name))
    local rest = vim.trim(("%s  %s"):format(cells.left(row.place or "", place_width), row.note or ""))
    local padding = rest == "" and "" or (" "):rep(name_width - vim.fn.strdisplaywidth(row.name)) .. "  "
    return {
      text = named .. padding .. vim.fn.strtrans(rest),
      costs = #before,
      name = #named,
      group = row.group or "CostlineHint",
    }
  end
  return start, vim.tbl_map(line, rows)
end

return M
