--- `costline:` documents: descriptions of functions whose sources are not in the workspace.

local client = require("costline.client")

local M = {}

--- Whether the address of a document has the root folder of a client.
---@param uri string
---@param it vim.lsp.Client
---@return boolean
local function names_root(uri, it)
  local address, root = vim.uri_decode(uri) .. '"', it.root_dir
  return root ~= nil and address:find('["=/]' .. vim.pesc(root) .. '[/"&]') ~= nil
end

--- The clients in the order in which they are asked: those whose root folder is in the address, the innermost first, then the
--- one that the user works with.
---@param bufnr integer
---@param uri string
---@return vim.lsp.Client[]
local function asked(bufnr, uri)
  local current = client.current(bufnr)
  ---@param it vim.lsp.Client
  local function rank(it)
    return names_root(uri, it) and #it.root_dir or it == current and 0 or -it.id
  end
  local clients = client.all()
  table.sort(clients, function(left, right)
    return rank(left) > rank(right)
  end)
  return clients
end

--- The text of a document, and the client that knows the function. If none does, the text of the first one that answers.
---@param bufnr integer
---@param uri string
---@return string
---@return vim.lsp.Client?
local function text_of(bufnr, uri)
  local text
  for _, it in ipairs(asked(bufnr, uri)) do
    ---@type costline.TextDocumentContent?
    local answer = client.request_sync(it, "costline/textDocumentContent", { uri = uri })
    if answer and answer.found then
      return answer.text, it
    end
    text = text or (answer and answer.text)
  end
  return text or "No Costline server is running, or none responds.\n"
end

--- Fills a buffer.
---@param bufnr integer
---@param uri string
function M.read(bufnr, uri)
  client.set_source(bufnr, nil)
  local text, it = text_of(bufnr, uri)
  client.set_source(bufnr, it)
  vim.bo[bufnr].modifiable = true
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(vim.trim(text), "\n"))
  -- Unloaded when it is left: next time another project may open it, and its costs may have changed.
  local settings = { buftype = "nofile", bufhidden = "unload", swapfile = false, buflisted = false, modifiable = false }
  for option, value in pairs(settings) do
    vim.bo[bufnr][option] = value
  end
end

return M
