--- Lists of hot spots, callers and callees in the quickfix list, and menus (`vim.ui.select`) to walk through calls.

local client = require("costline.client")
local columns = require("costline.columns")
local pickers = require("costline.pickers")
local places = require("costline.places")
local quickfix = require("costline.quickfix")
local transforms = require("costline.transforms")

local non_null, place_of = places.non_null, places.of

local M = {}

--- A row of a list.
---@class costline.ListRow
---@field columns? costline.Columns none for the heading of a group
---@field text? string of a heading
---@field place? costline.Place
---@field item? costline.Item the function, to list its callers or callees

--- Rows as entries of a quickfix list, and the heading of their columns.
---@param rows costline.ListRow[]
---@param width integer of the window
---@param titles? table<string, string> other titles of columns
---@return table[] entries
---@return string heading
local function entries(rows, width, titles)
  local shown = {}
  for _, row in ipairs(rows) do
    table.insert(shown, row.columns)
  end
  local heading, lines = columns.align(shown, width, titles)
  local result, at = {}, 0
  for _, row in ipairs(rows) do
    local entry = { text = row.text }
    if row.columns then
      at = at + 1
      entry.text, entry.user_data = lines[at].text, { costline = row.item, line = lines[at] }
    end
    if row.place then
      entry.bufnr, entry.lnum, entry.col = vim.uri_to_bufnr(row.place.uri), row.place.line0 + 1, 1
      -- For what shows quickfix lists otherwise: functions that are in no file have no path.
      local place_text = row.columns and row.columns.place
      entry.module = not vim.startswith(row.place.uri, "file:") and place_text or nil
    end
    table.insert(result, entry)
  end
  return result, heading
end

--- Shows a list. Commands that are run in it ask the same client.
---@param title string
---@param rows costline.ListRow[]
---@param it vim.lsp.Client
---@param titles? table<string, string> other titles of columns
local function show(title, rows, it, titles)
  if #rows == 0 then
    return client.notify("no " .. title, vim.log.levels.INFO)
  end
  local items, heading = entries(rows, vim.o.columns, titles)
  quickfix.open(title, items, { costline = client.root(it), heading = heading })
end

--- What is shown, and how its total changed since the baseline, for titles.
---@param it vim.lsp.Client
---@return string
local function source(it)
  local title, shown = client.title(it), client.shown(it)
  local comparison = shown and non_null(shown.comparison)
  local totals = comparison and (": %s"):format(comparison.text) or ""
  return title ~= "" and (" · %s%s"):format(title, totals) or ""
end

--- What the server says about a list of hot spots.
---@param it vim.lsp.Client
---@param by costline.HotSpotsBy
---@return costline.HotSpotsInfo?
local function kind_of(it, by)
  local catalog = client.catalog(it)
  return vim.iter(catalog and catalog.hotSpots or {}):find(function(kind)
    return kind.by == by
  end)
end

--- Puts the heading of each group before its first row.
---@param rows costline.ListRow[]
---@param spots costline.HotRow[]
---@param groups costline.HotGroup[]
---@return costline.ListRow[]
local function with_headings(rows, spots, groups)
  local result = {}
  for index, entry in ipairs(rows) do
    local own = spots[index].own
    if index == 1 or spots[index - 1].own ~= own then
      for _, group in ipairs(groups) do
        if group.own == own then
          table.insert(result, { text = group.note == "" and group.text or ("%s: %s"):format(group.text, group.note) })
        end
      end
    end
    table.insert(result, entry)
  end
  return result
end

--- The short names of the caller and the callee of a call.
---@param spot costline.HotRow
---@return string?
local function edge_name(spot)
  local names = {}
  for _, members in ipairs(spot.members or {}) do
    names[members.role] = members.functions[1].shortName
  end
  return names.caller and names.callee and ("%s → %s"):format(names.caller, names.callee)
end

--- The rows of hot spots.
---@param spots costline.HotRow[]
---@param argument costline.HotSpotsArgument
---@return costline.ListRow[]
local function hot_rows(spots, argument)
  -- Otherwise the column would repeat the self costs.
  local has_libraries = vim.iter(spots):any(function(spot)
    return spot.chargedText ~= nil and spot.chargedText ~= spot.selfText
  end)
  ---@param spot costline.HotRow
  return vim.tbl_map(function(spot)
    local shown = columns.costs(spot, non_null(spot.self) and "self" or "total")
    shown.charged = has_libraries and spot.chargedText or nil
    shown.first = argument.perCall and spot.label or nil
    shown.calls = argument.sort == "calls" and spot.calls and tostring(spot.calls) or nil
    shown.name = spot.title
    if argument.by == "function" then
      shown.name, shown.note = columns.name(spot)
      shown.place = non_null(spot.placeText)
    elseif argument.by == "line" then
      shown.note = places.code(spot.uri, spot.line0)
    elseif argument.by == "edge" then
      shown.name = edge_name(spot) or spot.title
      shown.place, shown.note = non_null(spot.placeText), places.code(spot.uri, spot.line0)
    end
    return { columns = shown, place = place_of(spot.uri, spot.line0, spot.item), item = spot.item }
  end, spots)
end

---@param argument costline.HotSpotsArgument what to list, and in which order
---@param in_quickfix boolean whether to use the quickfix list even if there is a picker
function M.hotspots(argument, in_quickfix)
  argument = vim.tbl_extend("keep", argument, { by = "function" })
  ---@param answer costline.HotSpots|vim.NIL
  client.execute("hotspots", { argument }, function(answer, it)
    local found, kind = non_null(answer) or {}, kind_of(it, argument.by)
    local spots = kind and found[kind.list] or {}
    local rows, titles = hot_rows(spots, argument), { first = "per call" }
    local title = ("hottest %s%s"):format(kind and kind.title:lower() or "spots", source(it))
    if not in_quickfix then
      local items, heading = entries(rows, pickers.WIDTH, titles)
      if pickers.show(title, heading, items) then
        return
      end
    end
    show(title, with_headings(rows, spots, found.groups or {}), it, titles)
  end)
end

---@class costline.Call
---@field item costline.Item the caller or callee
---@field place costline.Place for a caller the line of the call, for a callee its definition

---@param direction costline.Direction
---@param item costline.Item
---@param on_calls fun(calls: costline.Call[], it: vim.lsp.Client)
local function calls(direction, item, on_calls)
  local it = client.current()
  if not it then
    return
  end
  local method = direction == "incoming" and "callHierarchy/incomingCalls" or "callHierarchy/outgoingCalls"
  client.request(it, method, { item = item }, function(answer)
    local function call(one)
      local other = one.from or one.to
      local range = one.from and one.fromRanges[1] or other.selectionRange
      return { item = other, place = { uri = other.uri, line0 = range.start.line } }
    end
    on_calls(vim.tbl_map(call, non_null(answer) or {}), it)
  end)
end

--- The path from the outermost function: `main › build › carve`.
---@param direction costline.Direction
---@param item costline.Item
---@return string
local function path(direction, item)
  local names = vim.tbl_map(function(key)
    return key.name
  end, item.data.path)
  if direction == "incoming" then
    names = vim.iter(names):rev():totable()
  end
  return table.concat(names, " › ")
end

--- The function of the current entry of a quickfix list, else the one at the cursor.
---@param on_item fun(item: costline.Item)
local function at_cursor(on_item)
  if vim.bo.buftype == "quickfix" then
    local entry = vim.fn.getqflist({ items = 1 }).items[vim.fn.line(".")]
    local data = entry and entry.user_data
    if type(data) == "table" and data.costline then
      return on_item(data.costline)
    end
    return client.notify("this list entry is not a Costline function")
  end
  local it = client.current()
  if not it then
    return client.notify_missing()
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local params = vim.lsp.util.make_position_params(0, it.offset_encoding)
  client.request(it, "textDocument/prepareCallHierarchy", params, function(items)
    items = non_null(items) or {}
    if #items == 0 then
      return client.notify("there is no function with a cost at the cursor")
    end
    on_item(items[1])
  end, bufnr)
end

--- The key of the function at the cursor, for commands.
---@param on_key fun(key: costline.FunctionKey)
function M.function_at_cursor(on_key)
  at_cursor(function(item)
    on_key(item.data.path[#item.data.path])
  end)
end

--- The cost, name, place and self cost of a function.
---@param item costline.Item
---@return string
local function text(item)
  return ("%s  %s"):format(item.name, item.data.detail)
end

--- `callers` or `callees`, for titles.
---@param direction costline.Direction
---@return string
local function name_of(direction)
  return direction == "incoming" and "callers" or "callees"
end

---@param call costline.Call
---@param direction costline.Direction
---@return costline.ListRow
local function call_row(call, direction)
  local data = call.item.data
  local shown = columns.costs(data, "total")
  if direction == "incoming" and data.self == 0 then
    -- Most callers call something in all of their samples.
    shown.self = nil
  end
  shown.name, shown.note = columns.name(data)
  shown.place = data.placeText
  local code = direction == "incoming" and places.code(call.place.uri, call.place.line0)
  if code then
    -- The line of the call.
    shown.place = places.text(call.place)
    shown.note = shown.note and ("%s  %s"):format(shown.note, code) or code
  end
  return { columns = shown, place = call.place, item = call.item }
end

--- Puts the callers or callees of a function into the quickfix list.
---@param direction costline.Direction
---@param item? costline.Item default: the function at the cursor
function M.calls(direction, item)
  if not item then
    return at_cursor(function(found)
      M.calls(direction, found)
    end)
  end
  calls(direction, item, function(found, it)
    local rows = vim.tbl_map(function(call)
      return call_row(call, direction)
    end, found)
    local titles = direction == "incoming" and { self = "starts here" } or nil
    show(("%s of %s%s"):format(name_of(direction), path(direction, item), source(it)), rows, it, titles)
  end)
end

--- Puts the callers or callees of the function at the cursor into the quickfix list, grouped.
---@param direction costline.Direction
---@param by costline.GroupBy
function M.grouped(direction, by)
  at_cursor(function(item)
    local command = direction == "incoming" and "showCallers" or "showCallees"
    ---@param answer costline.CallStep
    client.execute(command, { item, { message = false, groupBy = by } }, function(answer, it)
      ---@param group costline.CallGroup
      local rows = vim.tbl_map(function(group)
        local shown = columns.costs(group, "total")
        shown.name, shown.place = (group.recursive and "↻ " or "") .. group.name, group.placeText
        shown.note = by == "site" and places.code(group.uri, group.line0) or nil
        shown.calls = non_null(group.calls) and tostring(group.calls)
        return { columns = shown, place = place_of(group.uri, group.line0) }
      end, answer.groups and answer.groups.rows or {})
      show(("%s of %s by %s%s"):format(name_of(direction), path(direction, item), by, source(it)), rows, it)
    end)
  end)
end

--- What lines of the current buffer cost.
---@param first integer 1-based
---@param last integer 1-based
---@param on_selection fun(selection: costline.Selection, it: vim.lsp.Client)
local function selected(first, last, on_selection)
  ---@type costline.SelectionArgument
  local argument = { uri = vim.uri_from_bufnr(0), firstLine0 = first - 1, lastLine0 = last - 1 }
  client.execute("selection", { argument }, function(answer, it)
    local selection = non_null(answer)
    if not selection then
      return client.notify("none of these lines has a cost", vim.log.levels.INFO)
    end
    on_selection(selection, it)
  end)
end

--- Puts lines of the current buffer that have a cost into the quickfix list, with their shares of all of these.
---@param first integer 1-based
---@param last integer 1-based
function M.selection(first, last)
  local uri = vim.uri_from_bufnr(0)
  selected(first, last, function(selection, it)
    ---@param line costline.SelectedLine
    local rows = vim.tbl_map(function(line)
      local shown = columns.costs(line, "total")
      shown.first = non_null(line.shareOfSelectionText)
      shown.name, shown.note = ("line %d"):format(line.line0 + 1), places.code(uri, line.line0)
      return { columns = shown, place = { uri = uri, line0 = line.line0 } }
    end, selection.lines)
    show(selection.text .. source(it), rows, it, { first = "of selection" })
  end)
end

--- Puts the callers of the functions on lines of the current buffer into the quickfix list.
---@param first integer 1-based
---@param last integer 1-based
function M.selection_callers(first, last)
  selected(first, last, function(selection, it)
    local callers = non_null(selection.callers)
    if not callers then
      return client.notify("this profile is a call graph, which has callers of functions but not of lines")
    end
    ---@param caller costline.SelectionCall
    local rows = vim.tbl_map(function(caller)
      local shown = columns.costs(caller, "total")
      shown.name, shown.note = columns.name(caller)
      shown.place = caller.placeText
      local item = non_null(caller.item)
      return { columns = shown, place = place_of(caller.uri, caller.line0, item), item = item }
    end, callers)
    show("callers of " .. selection.text .. source(it), rows, it)
  end)
end

---@class costline.Step
---@field title string
---@field text string
---@field place? costline.Place
---@field children fun(on_steps: fun(steps: costline.Step[]))
---@field transform? fun() lets the user show, merge or hide the node

--- Shows the children of a step in a menu, from which the user can walk on, walk back, or go to the code.
---@param step costline.Step
---@param back? fun()
local function walk(step, back)
  step.children(function(steps)
    local choices = {}
    if step.place then
      table.insert(choices, { text = "→ go to source", place = step.place })
    end
    if step.transform then
      table.insert(choices, { text = "⋯ show, merge or hide this node", transform = step.transform })
    end
    if back then
      table.insert(choices, { text = "← back", back = back })
    end
    vim.list_extend(choices, steps)
    local function format(choice)
      return choice.text
    end
    vim.ui.select(choices, { prompt = step.title, format_item = format, kind = "costline" }, function(choice)
      if not choice then
        return
      elseif choice.back then
        choice.back()
      elseif choice.children then
        walk(choice, function()
          walk(step, back)
        end)
      elseif choice.transform then
        choice.transform()
      else
        places.go(choice.place)
      end
    end)
  end)
end

---@param direction costline.Direction
---@param item costline.Item
---@param place costline.Place
---@return costline.Step
local function call_step(direction, item, place)
  return {
    title = ("%s of %s"):format(direction == "incoming" and "Callers" or "Callees", path(direction, item)),
    text = text(item),
    place = place,
    children = function(on_steps)
      calls(direction, item, function(found)
        on_steps(vim.tbl_map(function(call)
          return call_step(direction, call.item, call.place)
        end, found))
      end)
    end,
  }
end

--- Walks from the function at the cursor to its callers or callees.
---@param direction costline.Direction
function M.walk_calls(direction)
  at_cursor(function(item)
    walk(call_step(direction, item, { uri = item.uri, line0 = item.selectionRange.start.line }))
  end)
end

---@param node? costline.TreeNode default: the top of the tree
---@param inverted boolean
---@return costline.Step
local function tree_step(node, inverted)
  local described = node and ("%s  %s"):format(node.text, node.name)
  return {
    title = described or (inverted and "Call tree, bottom-up" or "Call tree"),
    text = described or "",
    place = node and place_of(node.uri, node.line0),
    transform = node and function()
      transforms.pick(node, inverted)
    end,
    children = function(on_steps)
      local arguments = { { path = node and node.path or nil, inverted = inverted } }
      ---@param answer costline.CallTree|vim.NIL
      client.execute("callTree", arguments, function(answer)
        local tree = non_null(answer)
        on_steps(vim.tbl_map(function(child)
          return tree_step(child, inverted)
        end, tree and tree.nodes or {}))
      end)
    end,
  }
end

--- Walks through the call tree, top-down or `inverted`: bottom-up.
---@param inverted boolean
function M.walk_tree(inverted)
  walk(tree_step(nil, inverted))
end

--- Lists the files of the profile, and why some were not found.
function M.paths()
  ---@param answer costline.Paths|vim.NIL
  client.execute("paths", {}, function(answer, it)
    local paths = non_null(answer)
    ---@param file costline.RecordedFile
    local rows = vim.tbl_map(function(file)
      local found = non_null(file.path)
      local place = found and { uri = vim.uri_from_fname(found), line0 = 0 } or nil
      return { columns = { name = file.name, place = non_null(file.reason) or file.how }, place = place }
    end, paths and paths.files or {})
    show("files of the profile" .. source(it), rows, it)
  end)
end

return M
