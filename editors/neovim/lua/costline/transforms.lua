--- What the user can do with a node of the call tree.

local client = require("costline.client")

local M = {}

--- Lets the user select what to do with a node: show its costs, or one of the server's transforms.
---@param node {name: string, path: costline.FunctionKey[]}
---@param inverted boolean whether it is a node of the bottom-up tree
---@param bufnr? integer the buffer whose server has the node, by default the current one
function M.pick(node, inverted, bufnr)
  local it = client.current(bufnr)
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
      client.execute("pushTransform", { { type = entry.type, path = node.path } }, function() end, bufnr)
    else
      client.execute("setView", { { node = node.path } }, function() end, bufnr)
    end
  end)
end

return M
