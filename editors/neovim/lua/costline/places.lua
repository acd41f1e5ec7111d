--- Places in code: fields of answers as places, and places on the screen.

local M = {}

---@class costline.Place
---@field uri string
---@field line0 integer

--- A value of JSON, `nil` for null.
---@generic T
---@param value T|vim.NIL|nil
---@return T?
function M.non_null(value)
  if value ~= vim.NIL then
    return value
  end
end

--- The document and line of an answer. Functions without a source have the document of their item.
---@param uri string|vim.NIL|nil
---@param line0 integer|vim.NIL
---@param item? costline.Item|vim.NIL
---@return costline.Place?
function M.of(uri, line0, item)
  local function_item = M.non_null(item)
  local document = M.non_null(uri) or (function_item and function_item.uri)
  return document and { uri = document, line0 = M.non_null(line0) or 0 } or nil
end

--- A place as short text: `app.py:12`.
---@param place costline.Place
---@return string
function M.text(place)
  return ("%s:%d"):format(vim.fs.basename(vim.uri_to_fname(place.uri)), place.line0 + 1)
end

--- The code of a line: of the buffer if it is loaded, else of the file.
---@param uri string|vim.NIL|nil
---@param line0 integer|vim.NIL
---@return string? `nil` if it is in no file, or cannot be read
function M.code(uri, line0)
  local document, line = M.non_null(uri), M.non_null(line0)
  if not document or not line or not vim.startswith(document, "file:") then
    return nil
  end
  local bufnr = vim.uri_to_bufnr(document)
  if vim.api.nvim_buf_is_loaded(bufnr) then
    return vim.trim(vim.api.nvim_buf_get_lines(bufnr, line, line + 1, false)[1] or "")
  end
  local is_read, lines = pcall(vim.fn.readfile, vim.uri_to_fname(document), "", line + 1)
  return is_read and vim.trim(lines[line + 1] or "") or nil
end

--- Shows a place in the current window.
---@param place costline.Place
function M.go(place)
  local start = { line = place.line0, character = 0 }
  vim.lsp.util.show_document(
    { uri = place.uri, range = { start = start, ["end"] = start } },
    "utf-16",
    { focus = true }
  )
end

--- Shows a place in a window that need not be the current one.
---@param place costline.Place
---@param window integer
function M.show(place, window)
  vim.api.nvim_win_call(window, function()
    M.go(place)
    vim.cmd.normal({ "zz", bang = true })
  end)
end

return M
