--- Messages, each of one line: Neovim waits for a key after a longer one.

local cells = require("costline.cells")

local M = {}

--- The last message that was cut, whole.
---@type string?
M.last_cut = nil

--- A text in a line that may be cut, and what follows it.
---@param text string
---@param tail string
---@return string
local function line_of(text, tail)
  local width = vim.v.echospace - vim.fn.strdisplaywidth(tail)
  if vim.fn.strdisplaywidth(text) > width then
    M.last_cut = text
  end
  return cells.cut(text, width) .. tail
end

--- A text without line breaks, in which paths in the current folder are relative to it.
---@param text string
---@return string
local function plain(text)
  local line = vim.trim(text:gsub("%s*[\r\n]+%s*", " "))
  local here = vim.uv.cwd()
  return here and line:gsub(vim.pesc(here .. "/"), "") or line
end

--- Shows a message through `vim.notify`. One that is cut leads to its whole text.
---@param text string
---@param level integer
---@param command? string what to run next, which is always shown
function M.notify(text, level, command)
  text = plain(text)
  local is_long = vim.fn.strdisplaywidth(text) > vim.v.echospace
  command = command or (is_long and ":Costline info") or nil
  -- After another message, Neovim would wait for a key.
  vim.cmd.redraw()
  vim.notify(line_of(text, command and (" (%s)"):format(command) or ""), level)
end

--- Shows a message that is not about a problem.
---@param text string
---@param keep boolean whether `:messages` lists it
function M.echo(text, keep)
  vim.cmd.redraw()
  vim.api.nvim_echo({ { line_of(text, "") } }, keep, {})
end

return M
