--- What the user can do with a node of the call tree.

local client = require("costline.client")
local places = require("costline.places")

local non_null = places.non_null

local M = {}

--- Lets the user select one of the server's actions for a node.
---@param node {name: string, path: costline.FunctionKey[]}
---@param inverted boolean whether it is a node of the bottom-up tree
---@param bufnr? integer the buffer whose server has the node, by default the current one
function M.pick(node, inverted, bufnr)
  local it = client.current(bufnr)
  local catalog = it and client.catalog(it)
  ---@param action costline.NodeAction
  local actions = vim.tbl_filter(function(action)
    return action.bottomUp == inverted
  end, catalog and catalog.nodeActions or {})
  ---@param action costline.NodeAction
  local function format(action)
    return action.title
  end
  vim.ui.select(actions, { prompt = node.name, format_item = format, kind = "costline" }, function(action)
    if not action then
      return
    elseif non_null(action.type) then
      client.execute("pushTransform", { { type = action.type, path = node.path } }, function() end, bufnr)
    else
      client.execute("setView", { { node = node.path } }, function() end, bufnr)
    end
  end)
end

return M
