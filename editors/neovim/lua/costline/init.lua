--- The functions for configurations, documented in |costline.txt|.

local options = require("costline.options")

local M = {}

--- Changes options. Can be called at any time, and several times.
---@param changes? table see |costline-setup|
function M.setup(changes)
  local wrong = {}
  for key, value in vim.spairs(changes or {}) do
    if options[key] == nil then
      table.insert(wrong, ("there is no option `%s`"):format(key))
    elseif type(value) ~= type(options[key]) then
      table.insert(wrong, ("`%s` is a %s, expected a %s"):format(key, type(value), type(options[key])))
    elseif key == "hint_position" and value ~= "end" and value ~= "right" then
      table.insert(wrong, ("`%s` is `%s`, expected `end` or `right`"):format(key, value))
    else
      options[key] = value
    end
  end
  if #wrong > 0 then
    require("costline.client").notify("setup: " .. table.concat(wrong, "; "))
  end
  local server = require("costline.server")
  server.configure()
  require("costline.draw").update_all()
  if vim.g.loaded_costline then
    server.enable()
  end
end

--- Changes settings of the server: `configure({ unit = "absolute" })`.
---@param settings table
function M.configure(settings)
  M.setup({ settings = vim.tbl_deep_extend("force", options.settings, settings) })
end

--- Switches hints, lenses or heat on or off.
---@param what "hints"|"lenses"|"heat"
---@param on? boolean default: toggle
function M.toggle(what, on)
  if on == nil then
    on = not options[what]
  end
  options[what] = on
  require("costline.draw").update_all()
end

---@param milliseconds integer since 1970
---@return string
local function age(milliseconds)
  local seconds = math.max(0, os.time() - math.floor(milliseconds / 1000))
  for _, unit in ipairs({ { 86400, "d" }, { 3600, "h" }, { 60, "min" } }) do
    if seconds >= unit[1] then
      return ("%d %s ago"):format(math.floor(seconds / unit[1]), unit[2])
    end
  end
  return "now"
end

--- For the status line: the profile that is shown, its total or with a baseline how that changed, its metric, what is not default
--- about the view, its age, and `warning` or `error` if something is wrong. Empty if there is no server or profile.
---@return string
function M.status()
  local client = require("costline.client")
  local it = client.all(vim.api.nvim_get_current_buf())[1]
  local shown = it and client.shown(it)
  if not shown then
    return ""
  end
  local profile = shown.profile
  local worst = require("costline.problems").of(shown)[1]
  if type(profile) ~= "table" then
    return shown.loading and "loading a profile" or worst and worst.severity or ""
  end
  local state = shown.loading and "loading" or profile.deleted and "deleted" or age(profile.modified)
  local problem = worst and " · " .. worst.severity or ""
  return ("%s · %s · %s%s"):format(profile.name, shown.status, state, problem)
end

---@param direction 1|-1
---@param how? {any?: boolean}
local function jump(direction, how)
  if how and how.any then
    return require("costline.draw").jump(direction)
  end
  require("costline.hot_line").go(direction == -1)
end

--- Goes to the next hot line, with `{ any = true }` to the next line of the buffer with a hint.
---@param how? {any?: boolean}
function M.next(how)
  jump(1, how)
end

--- Goes to the previous hot line, with `{ any = true }` to the previous line of the buffer with a hint.
---@param how? {any?: boolean}
function M.prev(how)
  jump(-1, how)
end

return M
