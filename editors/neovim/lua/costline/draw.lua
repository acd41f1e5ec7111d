--- Costs beside the code: hints at the end of lines, lenses above functions, heat.
---
--- They are drawn here and not by `vim.lsp.inlay_hint` and `vim.lsp.codelens`: those can be switched on only for all servers
--- of a buffer; before 0.12 the former keeps old labels on the screen when an answer comes after a redraw, and shows the hints
--- of but one of two servers (so does the latter in 0.12). What is drawn here is replaced in one go when an answer is there.

local client = require("costline.client")
local options = require("costline.options")

local M = {}

local hint_marks = vim.api.nvim_create_namespace("costline.hints")
local lens_marks = vim.api.nvim_create_namespace("costline.lenses")

--- From which share of the total on a line is warm or hot.
local WARM, HOT = 0.05, 0.2
local BARS = { "▏", "▌", "█" }

---@class costline.Drawn
---@field asked table<string, integer> how often each method was asked: only the last answer counts
---@field tiers table<integer, integer> tier by id of the mark

---@type table<integer, costline.Drawn>
local drawn = vim.defaulttable(function()
  return { asked = {}, tiers = {} }
end)

--- Keeps Neovim from drawing the same a second time.
---@param it vim.lsp.Client
function M.take_over(it)
  it.server_capabilities.inlayHintProvider = nil
  if vim.lsp.codelens.enable then -- 0.12
    vim.lsp.codelens.enable(false, { client_id = it.id })
  else
    it.server_capabilities.codeLensProvider = nil
  end
end

--- 1 to 3, the hottest.
---@param hint lsp.InlayHint
---@param base number?
---@return integer
local function tier(hint, base)
  local data = hint.data
  local cost = type(data.total) == "number" and data.total or data.self
  local share = base and base ~= 0 and math.abs(cost / base) or 0
  return share >= HOT and 3 or share >= WARM and 2 or 1
end

---@param label string|lsp.InlayHintLabelPart[]
---@return string
local function text_of(label)
  if type(label) == "string" then
    return label
  end
  return table.concat(vim.tbl_map(function(part)
    return part.value
  end, label))
end

--- A mark that goes with its line.
---@param bufnr integer
---@param namespace integer
---@param line0 integer
---@param mark vim.api.keyset.set_extmark
---@return integer? id
local function place(bufnr, namespace, line0, mark)
  local line = vim.api.nvim_buf_get_lines(bufnr, line0, line0 + 1, false)[1]
  if line then
    mark.end_row, mark.end_col, mark.invalidate, mark.undo_restore = line0, #line, true, false
    mark.hl_mode = "combine"
    return vim.api.nvim_buf_set_extmark(bufnr, namespace, line0, 0, mark)
  end
end

---@param bufnr integer
---@param hints lsp.InlayHint[]
---@param base number?
local function draw_hints(bufnr, hints, base)
  vim.api.nvim_buf_clear_namespace(bufnr, hint_marks, 0, -1)
  local tiers = {}
  for _, hint in ipairs(hints) do
    local mark, level = {}, tier(hint, base)
    if options.hints then
      mark.virt_text, mark.virt_text_pos = { { text_of(hint.label), "CostlineHint" } }, "eol"
    end
    if options.heat then
      mark.sign_text, mark.sign_hl_group = BARS[level], "CostlineHeat" .. level
      mark.line_hl_group = "CostlineHeatLine" .. level
    end
    local id = place(bufnr, hint_marks, hint.position.line, mark)
    if id then
      tiers[id] = level
    end
  end
  drawn[bufnr].tiers = tiers
end

---@param bufnr integer
---@param lenses lsp.CodeLens[]
local function draw_lenses(bufnr, lenses)
  vim.api.nvim_buf_clear_namespace(bufnr, lens_marks, 0, -1)
  for _, lens in ipairs(lenses) do
    local line0 = lens.range.start.line
    local line = vim.api.nvim_buf_get_lines(bufnr, line0, line0 + 1, false)[1] or ""
    local indent = line:match("^%s*"):gsub("\t", (" "):rep(vim.bo[bufnr].tabstop))
    local mark
    -- What is above the first line would be out of sight (neovim#16166).
    if line0 == 0 then
      mark = { virt_text = { { lens.command.title, "CostlineLens" } }, virt_text_pos = "eol" }
    else
      mark = { virt_lines = { { { indent .. lens.command.title, "CostlineLens" } } }, virt_lines_above = true }
    end
    place(bufnr, lens_marks, line0, mark)
  end
end

--- Asks for what a buffer shows; the answer is drawn unless there was another question since.
---@param it vim.lsp.Client
---@param bufnr integer
---@param method string
---@param params table
---@param draw fun(answer: any[])
local function ask(it, bufnr, method, params, draw)
  local asked = drawn[bufnr].asked
  asked[method] = (asked[method] or 0) + 1
  local number, tick = asked[method], vim.api.nvim_buf_get_changedtick(bufnr)
  params.textDocument = vim.lsp.util.make_text_document_params(bufnr)
  client.ask(it, method, params, function(err, answer)
    if err or asked[method] ~= number or not vim.api.nvim_buf_is_loaded(bufnr) or not it.attached_buffers[bufnr] then
      return
    elseif vim.api.nvim_buf_get_changedtick(bufnr) == tick then
      draw(answer or {})
    else
      -- An answer about a text that was changed since would be drawn at wrong lines.
      vim.defer_fn(function()
        M.update(bufnr)
      end, 200)
    end
  end, bufnr)
end

--- Draws a buffer anew.
---@param bufnr integer
function M.update(bufnr)
  local it = client.all(bufnr)[1]
  if not it or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  -- Asked for in any case: without labels they still tell where hot lines are.
  local last = { line = vim.api.nvim_buf_line_count(bufnr), character = 0 }
  local range = { start = { line = 0, character = 0 }, ["end"] = last }
  ask(it, bufnr, "textDocument/inlayHint", { range = range }, function(hints)
    local view = client.view(it)
    draw_hints(bufnr, hints, view and view.base)
  end)
  if options.lenses then
    ask(it, bufnr, "textDocument/codeLens", {}, function(lenses)
      draw_lenses(bufnr, lenses)
      if not vim.lsp.codelens.enable then
        -- Where `vim.lsp.codelens.run()` finds them.
        vim.lsp.codelens.save(lenses, bufnr, it.id)
      end
    end)
  else
    draw_lenses(bufnr, {})
  end
end

--- Draws the buffers of a client anew, or all.
---@param client_id? integer
function M.update_all(client_id)
  for _, it in ipairs(client.all()) do
    if not client_id or it.id == client_id then
      for bufnr in pairs(it.attached_buffers) do
        M.update(bufnr)
      end
    end
  end
end

--- Takes away what a client's answers drew.
---@param bufnr integer
---@param client_id integer
function M.clear(bufnr, client_id)
  local it = vim.lsp.get_client_by_id(client_id)
  if it and it.name == client.name and vim.api.nvim_buf_is_loaded(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, hint_marks, 0, -1)
    vim.api.nvim_buf_clear_namespace(bufnr, lens_marks, 0, -1)
  end
  drawn[bufnr] = nil
end

--- Moves the cursor to the next warm or hot line, or with `any` to the next line with a cost.
---@param direction 1|-1
---@param any? boolean
function M.jump(direction, any)
  local bufnr, row = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  local tiers = drawn[bufnr].tiers
  local from, to = direction == 1 and 0 or -1, direction == 1 and -1 or 0
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, hint_marks, from, to, {})) do
    if (mark[2] - row) * direction > 0 and (any or tiers[mark[1]] > 1) then
      vim.cmd.normal({ "m'", bang = true })
      vim.api.nvim_win_set_cursor(0, { mark[2] + 1, 0 })
      return vim.cmd.normal({ "^", bang = true })
    end
  end
  client.notify(("no %s %s"):format(any and "line with a cost" or "hot line", direction == 1 and "below" or "above"))
end

return M
