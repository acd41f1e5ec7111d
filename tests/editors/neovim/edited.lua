--- The source of `edits.lua` and `restarted.lua`, and what must be shown for it.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local M = { file = "main.py" }

--- The line of `def main` in the recorded text.
local MAIN = 57

--- Inserts two lines at the top and one above `def main`.
function M.edit()
  vim.api.nvim_buf_set_lines(0, MAIN - 1, MAIN - 1, true, { "# The program." })
  vim.api.nvim_buf_set_lines(0, 0, 0, true, { "# Edited.", "" })
end

--- Where a recorded line is after [M.edit].
---@param line integer 1-based
---@return integer
local function edited(line)
  return line + (line < MAIN and 2 or 3)
end

---@param line integer
---@return integer
local function same(line)
  return line
end

---@return vim.lsp.Client?
function M.client()
  return vim.lsp.get_clients({ name = "costline", bufnr = 0 })[1]
end

---@param by "function"|"line"
---@return table[] spots in the file
local function hot_spots(by)
  local params = { command = "costline.hotspots", arguments = { { by = by, sort = "total", limit = 1000 } } }
  local answer = require("costline.client").request_sync(assert(M.client()), "workspace/executeCommand", params)
  return vim.tbl_filter(function(spot)
    return spot.file == M.file
  end, answer[by .. "s"])
end

--- Waits until hints, lenses and hot spots have the costs of the profile, in the edited or in the
--- recorded text.
---@param text "edited"|"recorded"
function M.wait_shown(text)
  local now = text == "edited" and edited or same
  t.wait_same("lines", now(MAIN), function()
    return t.line_of("main")
  end)
  t.wait_shown(M.file, "before", now)
  local lines = {}
  for _, spot in ipairs(hot_spots("line")) do
    t.same({ spot, spot.line0 + 1 }, { spot, now(spot.line) })
    lines[tostring(spot.line)] = spot.label
  end
  for line, cost in pairs(t.stage.before.lines[M.file]) do
    t.same({ line, lines[line] }, { line, cost })
  end
  local functions = {}
  for _, spot in ipairs(hot_spots("function")) do
    functions[spot.name] = { line = spot.line0 + 1, self = spot.selfText, total = spot.totalText }
  end
  for name, cost in pairs(t.stage.before.functions[M.file]) do
    t.same({ name, functions[name] }, { name, { line = t.line_of(name), self = cost.self, total = cost.total } })
  end
end

return M
