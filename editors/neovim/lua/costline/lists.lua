--- Hot spots, callers, callees, the call tree: in the quickfix list, or to walk through in `vim.ui.select`.

local client = require("costline.client")

local M = {}

---@class costline.Place
---@field uri string
---@field line0 integer

---@param text string
---@param place costline.Place?
---@param item? table the hierarchy item, from which a walk goes on
---@return table
local function row(text, place, item)
  local entry = { text = text, user_data = item and { costline = item } }
  if place then
    entry.bufnr, entry.lnum, entry.col = vim.uri_to_bufnr(place.uri), place.line0 + 1, 1
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

--- What numbers are of, for titles.
---@param it vim.lsp.Client
---@return string
local function source(it)
  local view = client.view(it)
  return view and view.profile and (" · %s (%s)"):format(view.profile.name, view.metric) or ""
end

--- A value of JSON that may be missing.
---@generic T
---@param value T
---@return T?
local function known(value)
  if value ~= vim.NIL then
    return value
  end
end

---@param by "function"|"line"
function M.hotspots(by)
  client.execute("hotspots", { { by = by } }, function(answer, it)
    answer = known(answer) or {}
    local rows = vim.tbl_map(function(spot)
      local uri = known(spot.uri) or (spot.item and spot.item.uri)
      local place = uri and { uri = uri, line0 = known(spot.line0) or 0 } or nil
      local what = spot.name or ("%s:%s"):format(spot.file, spot.line)
      return row(("%s  %s"):format(spot.text, what), place, spot.item)
    end, answer[by .. "s"] or {})
    show(("hottest %ss%s"):format(by, source(it)), rows)
  end)
end

---@alias costline.Direction "callers"|"callees"

---@class costline.Call
---@field item table
---@field place costline.Place the line that calls, else where the function is

---@param direction costline.Direction
---@param item table
---@param on_calls fun(calls: costline.Call[], it: vim.lsp.Client)
local function calls(direction, item, on_calls)
  local it = client.current()
  if not it then
    return
  end
  local method = direction == "callers" and "callHierarchy/incomingCalls" or "callHierarchy/outgoingCalls"
  client.request(it, method, { item = item }, function(answer)
    local function call(one)
      local other = one.from or one.to
      local range = one.from and one.fromRanges[1] or other.selectionRange
      return { item = other, place = { uri = other.uri, line0 = range.start.line } }
    end
    on_calls(vim.tbl_map(call, known(answer) or {}), it)
  end)
end

--- `main › build › carve`: a path as it was called.
---@param direction costline.Direction
---@param item table
---@return string
local function path(direction, item)
  local names = vim.tbl_map(function(key)
    return key.name
  end, item.data.path)
  if direction == "callers" then
    names = vim.iter(names):rev():totable()
  end
  return table.concat(names, " › ")
end

--- The function that is meant: of the line in a list of ours, else the one at the cursor.
---@param on_item fun(item: table)
local function at_cursor(on_item)
  if vim.bo.buftype == "quickfix" then
    local entry = vim.fn.getqflist({ items = 1 }).items[vim.fn.line(".")]
    local data = entry and entry.user_data
    if type(data) == "table" and data.costline then
      return on_item(data.costline)
    end
    return client.notify("this line of the list is no function of Costline's")
  end
  local it = client.current()
  if not it then
    return client.notify("no server is running for this file (:checkhealth costline)")
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local params = vim.lsp.util.make_position_params(0, it.offset_encoding)
  client.request(it, "textDocument/prepareCallHierarchy", params, function(items)
    items = known(items) or {}
    if #items == 0 then
      return client.notify("no function with a cost is here")
    end
    on_item(items[1])
  end, bufnr)
end

--- The name by which commands know the function at the cursor.
---@param on_name fun(name: string)
function M.function_at_cursor(on_name)
  at_cursor(function(item)
    local key = item.data.path[#item.data.path]
    on_name(known(key.file) and ("%s::%s"):format(key.file, key.name) or key.name)
  end)
end

---@param item table
---@return string
local function text(item)
  return ("%s  %s"):format(item.name, (item.detail or ""):gsub("^costline · ", ""))
end

--- Puts callers or callees into the quickfix list; `item` is what it is of, else the function at the cursor.
---@param direction costline.Direction
---@param item? table
function M.calls(direction, item)
  if not item then
    return at_cursor(function(found)
      M.calls(direction, found)
    end)
  end
  calls(direction, item, function(found, it)
    local rows = vim.tbl_map(function(call)
      return row(text(call.item), call.place, call.item)
    end, found)
    show(("%s of %s%s"):format(direction, path(direction, item), source(it)), rows)
  end)
end

---@class costline.Step
---@field title string
---@field text string
---@field place? costline.Place
---@field children fun(on_steps: fun(steps: costline.Step[]))

--- Lets the user walk from step to step, and leave to the code at each.
---@param step costline.Step
---@param back? fun()
local function walk(step, back)
  step.children(function(steps)
    local choices = {}
    if step.place then
      table.insert(choices, { text = "→ go there", place = step.place })
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
      else
        local start = { line = choice.place.line0, character = 0 }
        local location = { uri = choice.place.uri, range = { start = start, ["end"] = start } }
        vim.lsp.util.show_document(location, "utf-16", { focus = true })
      end
    end)
  end)
end

---@param direction costline.Direction
---@param item table
---@param place costline.Place
---@return costline.Step
local function call_step(direction, item, place)
  return {
    title = ("%s of %s"):format(direction == "callers" and "Callers" or "Callees", path(direction, item)),
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

--- Walks from the function at the cursor up its callers or down its callees.
---@param direction costline.Direction
function M.walk_calls(direction)
  at_cursor(function(item)
    walk(call_step(direction, item, { uri = item.uri, line0 = item.selectionRange.start.line }))
  end)
end

---@param node? table none: what the tree begins with
---@param inverted boolean
---@return costline.Step
local function tree_step(node, inverted)
  local uri = node and known(node.uri)
  local described = node and ("%s  %s"):format(node.text, node.name)
  return {
    title = described or (inverted and "Call tree from the leaves" or "Call tree"),
    text = described or "",
    place = uri and { uri = uri, line0 = known(node.line0) or 0 } or nil,
    children = function(on_steps)
      local arguments = { { path = node and node.path or nil, inverted = inverted } }
      client.execute("callTree", arguments, function(answer)
        on_steps(vim.tbl_map(function(child)
          return tree_step(child, inverted)
        end, answer.nodes))
      end)
    end,
  }
end

--- Walks down the call tree from its roots, or `inverted` up from the functions that cost by themselves.
---@param inverted boolean
function M.tree(inverted)
  walk(tree_step(nil, inverted))
end

--- Which files of the profile were found, and which were not.
function M.paths()
  client.execute("paths", {}, function(answer, it)
    answer = known(answer) or { files = {} }
    local rows = vim.tbl_map(function(file)
      local found = known(file.path)
      local place = found and { uri = vim.uri_from_fname(found), line0 = 0 } or nil
      local note = known(file.reason)
      return row(note and ("%s: %s"):format(file.name, note) or ("%s (%s)"):format(file.name, file.how), place)
    end, answer.files)
    show("files of the profile" .. source(it), rows)
  end)
end

return M
