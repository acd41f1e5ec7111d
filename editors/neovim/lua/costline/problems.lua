--- Problems of what is shown: messages, each once, and their fixes.

local client = require("costline.client")

local M = {}

--- How long to wait after a change, in milliseconds. Many problems disappear when the addresses of a profile are resolved.
local PATIENCE = 1000

--- The messages about problems that clients have, which were shown.
---@type table<integer, table<string, true>>
local notified = {}

---@type table<costline.Severity, integer>
local levels = { error = vim.log.levels.ERROR, warning = vim.log.levels.WARN, info = vim.log.levels.INFO }

--- The errors and warnings, the most severe first.
---@param shown? costline.Shown
---@return costline.HealthEntry[]
function M.of(shown)
  return vim
    .iter(shown and shown.health or {})
    :filter(function(entry)
      return entry.severity ~= "info"
    end)
    :totable()
end

--- Why no profile is shown, and what to do. `nil` if one is, or may soon be.
---@return string?
function M.without_profile()
  local it = client.current()
  local shown = it and (client.shown(it) or client.view(it))
  if not shown or shown.loading or type(shown.profile) == "table" then
    return nil
  elseif type(shown.root) ~= "string" then
    return "this file is in no project; create a folder `profiles` in its top folder for its profiles, and reopen it (:edit)"
  end
  local problem = vim.iter(M.of(shown)):find(function(entry)
    return entry.code ~= "setting-ignored"
  end)
  return problem and problem.message or "no profile is loaded (:Costline record, :Costline profile)"
end

--- Shows the problems that were not shown since they began, in one message: the most severe, and how many there are.
---@param it vim.lsp.Client
local function notify(it)
  local shown = client.shown(it)
  if not shown or shown.loading then
    return
  end
  local before = notified[it.id] or {}
  notified[it.id] = {}
  local new = {}
  for _, entry in ipairs(M.of(shown)) do
    notified[it.id][entry.message] = true
    if not before[entry.message] then
      table.insert(new, entry)
    end
  end
  local worst = new[1]
  if #new == 1 then
    client.notify(worst.message, levels[worst.severity], type(worst.fix) == "table" and ":Costline fix" or nil)
  elseif worst then
    client.notify(("%d problems: %s"):format(#new, worst.message), levels[worst.severity], ":Costline info")
  end
end

--- Runs a fix of what is shown. Of several, the user selects one.
function M.fix()
  local it = client.current()
  local shown = it and client.shown(it)
  local fixable = vim
    .iter(shown and shown.health or {})
    :filter(function(entry)
      return type(entry.fix) == "table"
    end)
    :totable()
  ---@param entry? costline.HealthEntry
  local function run(entry)
    if entry then
      local command = entry.fix.command:gsub("^costline%.", "")
      client.execute(command, entry.fix.arguments, function() end)
    end
  end
  if #fixable == 0 then
    return client.notify("there is nothing to fix", vim.log.levels.INFO)
  elseif #fixable == 1 then
    return run(fixable[1])
  end
  vim.ui.select(fixable, {
    prompt = "Costline",
    format_item = function(entry)
      return ("%s: %s"):format(entry.fix.title, entry.message)
    end,
  }, run)
end

vim.api.nvim_create_autocmd("User", {
  group = vim.api.nvim_create_augroup("costline.problems", {}),
  pattern = "CostlineChanged",
  callback = function()
    vim.defer_fn(function()
      for _, it in ipairs(vim.lsp.get_clients({ name = client.name })) do
        notify(it)
      end
    end, PATIENCE)
  end,
})

return M
