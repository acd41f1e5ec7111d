--- Windows beside the code, whose buffers this plug-in draws: the call tree and the flame graph.

local client = require("costline.client")
local places = require("costline.places")

local M = {}

---@class costline.Key
---@field [1] string|string[] the keys
---@field [2] string what they do, for `g?`
---@field [3] fun()

---@class costline.Side
---@field bufnr integer
---@field previewing boolean whether the window of the code shows the place under the cursor
---@field place fun(): costline.Place? the place under the cursor

---@class costline.SideOptions
---@field name string the second word of the file type
---@field owner table what draws it
---@field split string the command that opens the window
---@field place fun(): costline.Place?
---@field on_move fun() the cursor was moved
---@field on_change fun() other costs are shown
---@field on_resize? fun() the window has another width

local marks = vim.api.nvim_create_namespace("costline.side")

--- What draws the buffers.
---@type table<integer, table>
local owners = {}

--- Goes to the window of this kind for the current client in the current tab page, if there is one.
---@param name string
---@return table? owner what draws it
function M.go_to(name)
  local it = client.current()
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local bufnr = vim.api.nvim_win_get_buf(window)
    local is_wanted = owners[bufnr] and vim.bo[bufnr].filetype == "costline-" .. name
    if is_wanted and client.current(bufnr) == it then
      vim.api.nvim_set_current_win(window)
      return owners[bufnr]
    end
  end
end

--- The window that shows it.
---@param side costline.Side
---@return integer
function M.window(side)
  return vim.fn.win_findbuf(side.bufnr)[1]
end

--- The window to show code in: the previous one if it has code, else any with code, else a new one.
---@param side costline.Side
---@return integer window
local function code_window(side)
  local function has_code(window)
    local buftype = vim.bo[vim.api.nvim_win_get_buf(window)].buftype
    local is_document = vim.startswith(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)), "costline:")
    return buftype == "" or is_document
  end
  local previous = vim.fn.win_getid(vim.fn.winnr("#"))
  local windows = vim.list_extend({ previous }, vim.api.nvim_tabpage_list_wins(0))
  local found = vim.iter(windows):find(function(window)
    return window ~= 0 and has_code(window)
  end)
  if found then
    return found
  end
  vim.cmd("noautocmd leftabove new")
  local window = vim.api.nvim_get_current_win()
  vim.api.nvim_set_current_win(M.window(side))
  return window
end

---@param side costline.Side
local function preview(side)
  local place = side.place()
  if place then
    places.show(place, code_window(side))
  end
end

--- Shows the place under the cursor beside, and does so again when the cursor is moved, or ends that.
---@param side costline.Side
local function toggle_preview(side)
  side.previewing = not side.previewing
  if side.previewing then
    preview(side)
  end
end

---@param side costline.Side
local function go_to_source(side)
  local place = side.place()
  if not place then
    return client.notify("this function has no source", vim.log.levels.INFO)
  end
  vim.api.nvim_set_current_win(code_window(side))
  places.go(place)
end

--- Shows the keys of a window.
---@param keys costline.Key[]
local function help(keys)
  local lines = vim.tbl_map(function(key)
    local names = type(key[1]) == "table" and table.concat(key[1], ", ") or key[1]
    return ("%-16s %s"):format(names, key[2])
  end, keys)
  vim.lsp.util.open_floating_preview(lines, "", {})
end

--- Names a buffer for lists of buffers and status lines, instead of `[Scratch]`.
---@param bufnr integer
---@param name string
local function name_buffer(bufnr, name)
  local title = "costline-" .. name
  -- No two buffers have the same name.
  local is_taken = vim.fn.bufnr("^" .. title .. "$") >= 0
  vim.api.nvim_buf_set_name(bufnr, is_taken and ("%s-%d"):format(title, bufnr) or title)
end

--- Opens a window beside the code, for the current client.
---@param options costline.SideOptions
---@return costline.Side
function M.open(options)
  local current = client.current()
  vim.cmd(options.split)
  local window, bufnr = vim.api.nvim_get_current_win(), vim.api.nvim_create_buf(false, true)
  vim.api.nvim_win_set_buf(window, bufnr)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = "wipe", false
  vim.bo[bufnr].filetype = "costline-" .. options.name
  name_buffer(bufnr, options.name)
  client.set_source(bufnr, current)
  for option, value in pairs({ number = false, relativenumber = false, signcolumn = "no", foldcolumn = "0" }) do
    vim.wo[window][0][option] = value
  end
  vim.wo[window][0].wrap, vim.wo[window][0].list, vim.wo[window][0].cursorline = false, false, true
  ---@type costline.Side
  local side = { bufnr = bufnr, previewing = false, place = options.place }
  owners[bufnr] = options.owner
  local group = vim.api.nvim_create_augroup("costline.side." .. bufnr, {})
  vim.api.nvim_create_autocmd("CursorMoved", {
    group = group,
    buffer = bufnr,
    callback = function()
      options.on_move()
      if side.previewing then
        preview(side)
      end
    end,
  })
  local revision
  vim.api.nvim_create_autocmd("User", {
    group = group,
    pattern = "CostlineChanged",
    callback = function()
      local it = client.current(bufnr)
      local shown = it and client.shown(it)
      if shown and shown.revision ~= revision then
        revision = shown.revision
        options.on_change()
      end
    end,
  })
  if options.on_resize then
    vim.api.nvim_create_autocmd("WinResized", {
      group = group,
      callback = function()
        if vim.list_contains(vim.v.event.windows, M.window(side)) then
          options.on_resize()
        end
      end,
    })
  end
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    buffer = bufnr,
    callback = function()
      owners[bufnr] = nil
      client.set_source(bufnr, nil)
      vim.api.nvim_del_augroup_by_id(group)
    end,
  })
  return side
end

--- The keys of all windows.
---@param side costline.Side
---@return costline.Key[]
local function common_keys(side)
  return {
    {
      "gd",
      "go to the source",
      function()
        go_to_source(side)
      end,
    },
    {
      "p",
      "start or stop showing the source beside as the cursor moves",
      function()
        toggle_preview(side)
      end,
    },
    {
      "q",
      "close this window",
      function()
        vim.api.nvim_buf_delete(side.bufnr, { force = true })
      end,
    },
  }
end

--- Maps keys in a window, and those that all windows have.
---@param side costline.Side
---@param keys costline.Key[] those with the same key as one of all windows replace it
function M.map(side, keys)
  local all = vim.list_slice(keys)
  for _, common in ipairs(common_keys(side)) do
    local is_replaced = vim.iter(keys):any(function(key)
      return key[1] == common[1]
    end)
    if not is_replaced then
      table.insert(all, common)
    end
  end
  table.insert(all, {
    "g?",
    "show these keys",
    function()
      help(all)
    end,
  })
  for _, key in ipairs(all) do
    for _, lhs in ipairs(type(key[1]) == "table" and key[1] or { key[1] }) do
      vim.keymap.set("n", lhs, key[3], { buffer = side.bufnr, nowait = true, desc = "costline: " .. key[2] })
    end
  end
end

---@class costline.Span
---@field line0 integer
---@field from integer 0-based byte
---@field to integer 0-based byte, exclusive
---@field group string

--- Replaces what a window shows.
---@param side costline.Side
---@param lines string[]
---@param spans costline.Span[]
function M.draw(side, lines, spans)
  vim.bo[side.bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(side.bufnr, 0, -1, false, lines)
  vim.bo[side.bufnr].modifiable = false
  vim.api.nvim_buf_clear_namespace(side.bufnr, marks, 0, -1)
  for _, span in ipairs(spans) do
    vim.api.nvim_buf_set_extmark(side.bufnr, marks, span.line0, span.from, { end_col = span.to, hl_group = span.group })
  end
end

---@param text string
---@return string
local function escaped(text)
  return (text:gsub("%%", "%%%%"))
end

--- Shows a text above a window. In a narrow one it loses its beginning.
---@param side costline.Side
---@param text string
---@param kept? string what is before it in any case
function M.head(side, text, kept)
  vim.wo[M.window(side)][0].winbar = escaped(kept or "") .. "%<" .. escaped(text)
end

--- What is shown, for heads.
---@param side costline.Side
---@return string
function M.source(side)
  local it = client.current(side.bufnr)
  return it and client.title(it) or ""
end

return M
