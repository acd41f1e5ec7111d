--- Texts that fill a number of cells of the screen.

local M = {}

--- A text without its end if it has more cells than these.
---@param text string
---@param width integer
---@return string
function M.cut(text, width)
  if vim.fn.strdisplaywidth(text) <= width then
    return text
  end
  return vim.fn.printf("%.*S…", math.max(width - 1, 0), text)
end

--- A text with at least this many cells, blanks after it.
---@param text string
---@param width integer
---@return string
function M.left(text, width)
  return vim.fn.printf("%-*S", width, text)
end

--- A text with at least this many cells, blanks before it.
---@param text string
---@param width integer
---@return string
function M.right(text, width)
  return vim.fn.printf("%*S", width, text)
end

--- A text with exactly this many cells.
---@param text string
---@param width integer
---@return string
function M.exact(text, width)
  return M.left(vim.fn.printf("%.*S", width, text), width)
end

return M
