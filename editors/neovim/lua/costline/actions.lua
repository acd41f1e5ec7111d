--- The actions that the server offers for the view (`costline.view`).

local client = require("costline.client")

local M = {}

---@param action costline.Action
---@return string without `costline.`
local function name_of(action)
  return (action.command:gsub("^costline%.", ""))
end

--- Runs an action.
---@param action costline.Action
function M.run(action)
  client.execute(name_of(action), action.arguments, function() end)
end

--- The actions without arguments, by name.
---@param current costline.View|{}
---@return table<string, costline.Action>
function M.by_name(current)
  local found = {}
  for _, action in ipairs(current.actions or {}) do
    if #action.arguments == 0 then
      found[name_of(action)] = action
    end
  end
  return found
end

return M
