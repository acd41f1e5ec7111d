--- What configurations use. All of it is in |costline.txt|.

local options = require("costline.options")

local M = {}

--- Changes what is chosen; not needed for the defaults. May be called at any time, also again.
---@param changes? table see |costline-setup|
function M.setup(changes)
  for key, value in pairs(changes or {}) do
    if options[key] == nil then
      require("costline.client").notify(("setup: there is no option `%s`"):format(key))
    elseif type(value) ~= type(options[key]) then
      require("costline.client").notify(
        ("setup: `%s` is a %s, expected a %s"):format(key, type(value), type(options[key]))
      )
    else
      options[key] = value
    end
  end
  local client = require("costline.client")
  if vim.lsp.config then
    vim.lsp.config(client.name, { settings = client.settings() })
  end
  client.configure()
  require("costline.draw").update_all()
  if vim.g.loaded_costline then
    client.enable()
  end
end

--- Changes settings of the server at once: `configure({ unit = "absolute" })`.
---@param settings table
function M.configure(settings)
  M.setup({ settings = vim.tbl_deep_extend("force", options.settings, settings) })
end

--- Switches hints, lenses or heat on or off.
---@param what "hints"|"lenses"|"heat"
---@param on? boolean default: the other way
function M.toggle(what, on)
  if on == nil then
    on = not options[what]
  end
  options[what] = on
  require("costline.draw").update_all()
end

---@param milliseconds integer since the epoch
---@return string
local function age(milliseconds)
  local seconds = math.max(0, os.time() - math.floor(milliseconds / 1000))
  for _, unit in ipairs({ { 86400, "d" }, { 3600, "h" }, { 60, "min" } }) do
    if seconds >= unit[1] then
      return ("%d %s"):format(math.floor(seconds / unit[1]), unit[2])
    end
  end
  return "new"
end

--- For the status line: which profile is shown, its metric and age; empty where there is nothing to say.
---@return string
function M.status()
  local client = require("costline.client")
  local it = client.all(vim.api.nvim_get_current_buf())[1]
  local view = it and client.view(it)
  if not view then
    return ""
  end
  local profile = view.profile
  if type(profile) ~= "table" then
    return view.loading and "loading a profile" or ""
  end
  local state = view.loading and "loading" or profile.deleted and "deleted" or age(profile.modified)
  return ("%s · %s · %s"):format(profile.name, view.metric, state)
end

--- Moves to the next warm or hot line, with `{ any = true }` to the next line with a cost.
---@param how? {any?: boolean}
function M.next(how)
  require("costline.draw").jump(1, how and how.any)
end

--- Moves to the previous one.
---@param how? {any?: boolean}
function M.prev(how)
  require("costline.draw").jump(-1, how and how.any)
end

return M
