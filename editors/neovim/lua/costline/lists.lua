--- Lists of hot spots, callers and callees in the quickfix list, and menus (`vim.ui.select`) to walk through calls.

local client = require("costline.client")
local pickers = require("costline.pickers")
local places = require("costline.places")
local transforms = require("costline.transforms")

local non_null, place_of = places.non_null, places.of

local M = {}

---@param text string
---@param place costline.Place?
---@param item? costline.Item the function, to list its callers or callees
---@param place_text? string what to show instead of the URI of a function that is in no file
---@return table
local function row(text, place, item, place_text)
  local entry = { text = text, user_data = item and { costline = item } }
  if place then
    entry.bufnr, entry.lnum, entry.col = vim.uri_to_bufnr(place.uri), place.line0 + 1, 1
    entry.module = not vim.startswith(place.uri, "file:") and place_text or nil
  end
  return entry
end

--- Shows a list. Commands that are run in it ask the same client.
---@param title string
---@param rows table[]
---@param it vim.lsp.Client
local function show(title, rows, it)
  if #rows == 0 then
    return client.notify("no " .. title, vim.log.levels.INFO)
  end
  local context = { costline = client.root(it) }
  vim.fn.setqflist({}, " ", { title = "costline: " .. title, items = rows, context = context })
  vim.cmd("botright copen")
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
---@param rows table[]
---@param spots costline.HotRow[]
---@param groups costline.HotGroup[]
---@return table[]
local function with_headings(rows, spots, groups)
  local result = {}
  for index, entry in ipairs(rows) do
    local own = spots[index].own
    if index == 1 or spots[index - 1].own ~= own then
      for _, group in ipairs(groups) do
        if group.own == own then
          table.insert(result, row(group.note == "" and group.text or ("%s: %s"):format(group.text, group.note)))
        end
      end
    end
    table.insert(result, entry)
  end
  return result
end

---@param argument costline.HotSpotsArgument what to list, and in which order
---@param in_quickfix boolean whether to use the quickfix list even if there is a picker
function M.hotspots(argument, in_quickfix)
  local by = argument.by or "function"
  ---@param answer costline.HotSpots|vim.NIL
  client.execute("hotspots", { vim.tbl_extend("force", argument, { by = by }) }, function(answer, it)
    local found, kind = non_null(answer) or {}, kind_of(it, by)
    ---@param spot costline.HotRow
    local rows = vim.tbl_map(function(spot)
      local is_function, place_text = by == "function", non_null(spot.placeText)
      local place = place_of(spot.uri, spot.line0, spot.item)
      local entry = row(("%s  %s"):format(spot.text, spot.title), place, spot.item, is_function and place_text or nil)
      if is_function or by == "line" or by == "file" then
        -- The self cost and the total, for pickers, which are narrower.
        local name = is_function and ("%s  %s"):format(spot.title, place_text) or spot.title
        entry.brief = ("%6s %6s  %s"):format(non_null(spot.selfText) or "", non_null(spot.totalText) or "", name)
      end
      return entry
    end, kind and found[kind.list] or {})
    local title = ("hottest %s%s"):format(kind and kind.title:lower() or "spots", source(it))
    if in_quickfix or not pickers.show(title, rows) then
      show(title, with_headings(rows, kind and found[kind.list] or {}, found.groups or {}), it)
    end
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
    return client.notify("no server is running for this file (:checkhealth costline)")
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
      return row(text(call.item), call.place, call.item, call.item.data.placeText)
    end, found)
    show(("%s of %s%s"):format(name_of(direction), path(direction, item), source(it)), rows, it)
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
        return row(("%s  %s"):format(group.text, group.placeText), place_of(group.uri, group.line0))
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
  local bufnr = vim.api.nvim_get_current_buf()
  selected(first, last, function(selection, it)
    ---@param line costline.SelectedLine
    local rows = vim.tbl_map(function(line)
      local code = vim.api.nvim_buf_get_lines(bufnr, line.line0, line.line0 + 1, false)[1] or ""
      return row(("%s  %s"):format(line.text, vim.trim(code)), { uri = vim.uri_from_bufnr(bufnr), line0 = line.line0 })
    end, selection.lines)
    show(selection.text .. source(it), rows, it)
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
    ---@param caller costline.SelectionCaller
    local rows = vim.tbl_map(function(caller)
      local mark = caller.recursive and "↻ " or ""
      local place = place_of(caller.uri, caller.line0, caller.item)
      local described = ("%s  %s%s  %s"):format(caller.text, mark, caller.name, caller.placeText)
      return row(described, place, non_null(caller.item), caller.placeText)
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
      local note = non_null(file.reason)
      return row(note and ("%s: %s"):format(file.name, note) or ("%s (%s)"):format(file.name, file.how), place)
    end, paths and paths.files or {})
    show("files of the profile" .. source(it), rows, it)
  end)
end

return M
