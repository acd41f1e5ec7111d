--- Lists of hot spots, callers and callees in the quickfix list, and menus (`vim.ui.select`) to walk through calls.

local client = require("costline.client")

local M = {}

---@class costline.Place
---@field uri string
---@field line0 integer

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

---@param title string
---@param rows table[]
local function show(title, rows)
  if #rows == 0 then
    return client.notify("no " .. title, vim.log.levels.INFO)
  end
  vim.fn.setqflist({}, " ", { title = "costline: " .. title, items = rows })
  vim.cmd("botright copen")
end

--- A value of JSON, `nil` for null.
---@generic T
---@param value T|vim.NIL|nil
---@return T?
local function non_null(value)
  if value ~= vim.NIL then
    return value
  end
end

--- The profile, the metric, what is not default about the view, and how the total changed since the baseline, for titles.
---@param it vim.lsp.Client
---@return string
local function source(it)
  local shown = client.shown(it)
  local profile = shown and non_null(shown.profile)
  local comparison = shown and non_null(shown.comparison)
  local totals = comparison and (": %s"):format(comparison.text) or ""
  return profile and (" · %s (%s)%s"):format(profile.name, shown.summary, totals) or ""
end

--- The document and line of an answer. Functions without a source have the document of their item.
---@param uri string|vim.NIL|nil
---@param line0 integer|vim.NIL
---@param item? costline.Item|vim.NIL
---@return costline.Place?
local function place_of(uri, line0, item)
  local function_item = non_null(item)
  local document = non_null(uri) or (function_item and function_item.uri)
  return document and { uri = document, line0 = non_null(line0) or 0 } or nil
end

--- The rows of hot spots that are listed, and their plurals.
---@type table<costline.HotSpotsBy, string>
local plurals = {
  ["function"] = "functions",
  line = "lines",
  file = "files",
  module = "modules",
  package = "packages",
  library = "libraries",
  thread = "threads",
}

---@param by costline.HotSpotsBy
---@param order? costline.HotSpotsArgument the order of the rows
function M.hotspots(by, order)
  ---@param answer costline.HotSpots|vim.NIL
  client.execute("hotspots", { vim.tbl_extend("force", order or {}, { by = by }) }, function(answer, it)
    local found = non_null(answer) or {}
    ---@param spot costline.HotFunction
    local function of_function(spot)
      return row(
        ("%s  %s"):format(spot.text, spot.name),
        place_of(spot.uri, spot.line0, spot.item),
        non_null(spot.item),
        spot.placeText
      )
    end
    ---@param spot costline.HotLine
    local function of_line(spot)
      return row(("%s  %s:%d"):format(spot.text, spot.file, spot.line), place_of(spot.uri, spot.line0))
    end
    ---@param spot costline.HotFile
    local function of_file(spot)
      return row(("%s  %s"):format(spot.text, non_null(spot.file) or "no file"), place_of(spot.uri, spot.line0))
    end
    ---@param spot costline.HotModule|costline.HotThread
    local function of_name(spot)
      return row(("%s  %s"):format(spot.text, non_null(spot.name) or ("no " .. by)))
    end
    local rows = vim.tbl_map(of_function, found.functions or {})
    vim.list_extend(rows, vim.tbl_map(of_line, found.lines or {}))
    vim.list_extend(rows, vim.tbl_map(of_file, found.files or {}))
    for _, named in pairs({ found.modules, found.packages, found.libraries, found.threads }) do
      vim.list_extend(rows, vim.tbl_map(of_name, named))
    end
    show(("hottest %s%s"):format(plurals[by], source(it)), rows)
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
    return client.notify("this entry of the list is not a function of Costline")
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

--- The cost, name, place and self cost of a function. The self cost of a caller is that of the samples that start there.
---@param item costline.Item
---@return string
local function text(item)
  local data = item.data
  local is_caller = data.dir == "incoming"
  local own = ""
  if non_null(data.selfText) and not (is_caller and data.self == 0) then
    own = (" · %s %s"):format(is_caller and "starts here" or "self", data.selfText)
  end
  return ("%s  %s%s"):format(item.name, data.placeText, own)
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
    show(("%s of %s%s"):format(name_of(direction), path(direction, item), source(it)), rows)
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
      show(("%s of %s by %s%s"):format(name_of(direction), path(direction, item), by, source(it)), rows)
    end)
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
        local start = { line = choice.place.line0, character = 0 }
        local location = { uri = choice.place.uri, range = { start = start, ["end"] = start } }
        vim.lsp.util.show_document(location, "utf-16", { focus = true })
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

--- Lets the user select what to do with a node of the call tree.
---@param node costline.TreeNode
---@param inverted boolean
local function transform_node(node, inverted)
  local it = client.current()
  local catalog = it and client.catalog(it)
  local entries = vim
    .iter(catalog and catalog.transforms or {})
    :filter(function(kind)
      return kind.takes == "path" and kind.bottomUp == inverted
    end)
    :totable()
  if not inverted then
    table.insert(entries, 1, { title = "Show the costs of this node" })
  end
  local function format(entry)
    return entry.title
  end
  vim.ui.select(entries, { prompt = node.name, format_item = format, kind = "costline" }, function(entry)
    if not entry then
      return
    elseif entry.type then
      client.execute("pushTransform", { { type = entry.type, path = node.path } }, function() end)
    else
      client.execute("setView", { { node = node.path } }, function() end)
    end
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
      transform_node(node, inverted)
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
function M.tree(inverted)
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
    show("files of the profile" .. source(it), rows)
  end)
end

return M
