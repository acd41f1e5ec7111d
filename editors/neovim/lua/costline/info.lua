--- What is shown, and why a line shows its cost, in a floating window.

local choices = require("costline.choices")
local client = require("costline.client")
local messages = require("costline.messages")
local problems = require("costline.problems")

local M = {}

--- Shows text in a floating window at the cursor.
---@param text string
local function float(text)
  local width = math.min(80, vim.o.columns - 4)
  local _, window = vim.lsp.util.open_floating_preview(vim.split(text, "\n"), "", { width = width, wrap = true })
  vim.wo[window].linebreak = true
end

--- Explains the line under the cursor.
function M.explain()
  local argument = { uri = vim.uri_from_bufnr(0), line = vim.api.nvim_win_get_cursor(0)[1] - 1 }
  ---@param answer costline.Explanation
  client.execute("explain", { argument }, function(answer)
    float(answer.message)
  end)
end

--- Shows the report on a line, or why it has no cost.
---@param place? costline.Place by default the line under the cursor
---@param bufnr? integer the buffer whose server is asked, by default the current one
function M.line(place, bufnr)
  place = place or { uri = vim.uri_from_bufnr(0), line0 = vim.api.nvim_win_get_cursor(0)[1] - 1 }
  ---@param answer costline.Explanation
  client.execute("explain", { { uri = place.uri, line = place.line0 } }, function(answer)
    float(vim.trim(answer.report or answer.message))
  end, bufnr)
end

--- Shows what is active.
function M.show()
  local current = choices.view()
  local lines = {}
  local missing = problems.without_profile()
  if missing then
    table.insert(lines, (missing:gsub("^%l", string.upper)))
  end
  if type(current.profile) == "table" then
    table.insert(lines, "Profile: " .. current.profile.path)
    local comparison = current.comparison
    table.insert(lines, "Total: " .. (type(comparison) == "table" and comparison.text or current.totalText))
  end
  for _, choice in ipairs(current.choices or {}) do
    table.insert(lines, ("%s: %s"):format(choice.title, choices.active_labels(choice)))
  end
  for _, transform in ipairs(current.transforms or {}) do
    table.insert(lines, "Transform: " .. transform.text)
  end
  for _, entry in ipairs(current.health or {}) do
    table.insert(lines, ("%s: %s"):format(entry.severity:gsub("^%l", string.upper), entry.message))
    if type(entry.fix) == "table" then
      table.insert(lines, "Fix: " .. entry.fix.title)
    end
  end
  if messages.last_cut then
    table.insert(lines, "Last long message: " .. messages.last_cut)
  end
  float(#lines > 0 and table.concat(lines, "\n") or "No profile is shown.")
end

return M
