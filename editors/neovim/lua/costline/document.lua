--- `costline:` documents: descriptions of functions whose sources are not in the workspace.

local client = require("costline.client")

local M = {}

--- Fills a buffer.
---@param bufnr integer
---@param uri string
function M.read(bufnr, uri)
  local text = "No Costline server is running.\n"
  for _, running in ipairs(client.all()) do
    ---@type costline.TextDocumentContent?
    local answer = client.request_sync(running, "costline/textDocumentContent", { uri = uri })
    text = answer and answer.text or text
  end
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(vim.trim(text), "\n"))
  for option, value in pairs({ buftype = "nofile", swapfile = false, buflisted = false, modifiable = false }) do
    vim.bo[bufnr][option] = value
  end
end

return M
