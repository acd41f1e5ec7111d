--- Goes from hot line to hot line, in the order of the server.

local client = require("costline.client")
local messages = require("costline.messages")
local places = require("costline.places")

local M = {}

--- Goes to the hot line after that of the cursor, or `previous`: before it.
---@param previous boolean
function M.go(previous)
  ---@type costline.HotLineArgument
  local argument = { previous = previous }
  if vim.bo.buftype == "" and vim.api.nvim_buf_get_name(0) ~= "" then
    argument.uri, argument.line0 = vim.uri_from_bufnr(0), vim.api.nvim_win_get_cursor(0)[1] - 1
  end
  ---@param step costline.HotLineStep
  client.execute("hotLine", { argument }, function(step)
    -- Windows of lists and of the call tree stay.
    if vim.bo.buftype ~= "" then
      vim.cmd.wincmd("p")
    end
    places.go({ uri = step.uri, line0 = step.line0 })
    vim.cmd.normal({ "^", bang = true })
    messages.echo(step.text, false)
  end)
end

return M
