--- Costs beside the code: hints at the end of lines, lenses above functions, heat.
---
--- They are not drawn by `vim.lsp.inlay_hint` and `vim.lsp.codelens`, because these are on for all servers of a buffer or for
--- none. Before 0.12, the former keeps stale labels if an answer comes after a redraw, and shows the hints of only one of two
--- servers; in 0.12 the latter does that too.

local client = require("costline.client")
local highlight = require("costline.highlight")
local options = require("costline.options")

local M = {}

local hint_marks = vim.api.nvim_create_namespace("costline.hints")
local lens_marks = vim.api.nvim_create_namespace("costline.lenses")

--- Bars in the sign column, by tier from 1.
local BARS = { "▏", "▌", "█" }

--- Below that of diagnostics, whose signs are on top.
local PRIORITY = 5

--- The number of requests by buffer and method. Only the answer to the last one is drawn.
---@type table<integer, table<string, integer>>
local requests_of = vim.defaulttable(function()
  return {}
end)

--- Keeps Neovim from drawing the same hints and lenses.
---@param it vim.lsp.Client
function M.take_over(it)
  it.server_capabilities.inlayHintProvider = nil
  if vim.lsp.codelens.enable then -- 0.12
    vim.lsp.codelens.enable(false, { client_id = it.id })
  else
    it.server_capabilities.codeLensProvider = nil
  end
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

--- Sets a mark that moves with its line.
---@param bufnr integer
---@param namespace integer
---@param line0 integer
---@param mark vim.api.keyset.set_extmark
local function place(bufnr, namespace, line0, mark)
  local line = vim.api.nvim_buf_get_lines(bufnr, line0, line0 + 1, false)[1]
  if line then
    mark.end_row, mark.end_col, mark.invalidate, mark.undo_restore = line0, #line, true, false
    mark.hl_mode = "combine"
    vim.api.nvim_buf_set_extmark(bufnr, namespace, line0, 0, mark)
  end
end

--- Adds a text at the end of its line to a mark.
---@param mark vim.api.keyset.set_extmark
---@param text string
---@param group string
---@return vim.api.keyset.set_extmark
local function at_end(mark, text, group)
  -- Neovim has one blank before the text, which looks like a part of the code.
  mark.virt_text = { { " " .. text, group } }
  mark.virt_text_pos = options.hint_position == "right" and "right_align" or "eol"
  return mark
end

---@param bufnr integer
---@param hints lsp.InlayHint[]
local function draw_hints(bufnr, hints)
  vim.api.nvim_buf_clear_namespace(bufnr, hint_marks, 0, -1)
  for _, hint in ipairs(hints) do
    ---@type costline.HintData
    local data = hint.data
    local mark = {}
    if options.hints then
      at_end(mark, text_of(hint.label), "CostlineHint")
    end
    -- A hint that counts executions may be on a line without a cost.
    local shade, strength = highlight.shade(data)
    if options.heat and data.share > 0 and strength > 0 then
      mark.sign_text, mark.sign_hl_group = BARS[strength], highlight.bar(data)
      if shade == "Heat" then
        mark.line_hl_group = "CostlineHeatLine" .. strength
      elseif strength > 1 then
        mark.line_hl_group = ("Costline%sLine"):format(shade)
      end
      mark.priority = PRIORITY
    end
    place(bufnr, hint_marks, hint.position.line, mark)
  end
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
    -- Neovim does not show virtual lines above the first line (neovim#16166).
    if line0 == 0 then
      mark = at_end({}, lens.command.title, "CostlineLens")
    else
      mark = { virt_lines = { { { indent .. lens.command.title, "CostlineLens" } } }, virt_lines_above = true }
    end
    place(bufnr, lens_marks, line0, mark)
  end
end

--- Sends a request for what a buffer shows, and draws the answer unless there was another request meanwhile.
---@param it vim.lsp.Client
---@param bufnr integer
---@param method string
---@param params table
---@param draw fun(answer: any[])
local function ask(it, bufnr, method, params, draw)
  local requests = requests_of[bufnr]
  requests[method] = (requests[method] or 0) + 1
  local number, tick = requests[method], vim.api.nvim_buf_get_changedtick(bufnr)
  params.textDocument = vim.lsp.util.make_text_document_params(bufnr)
  client.ask(it, method, params, function(err, answer)
    if err or requests[method] ~= number or not vim.api.nvim_buf_is_loaded(bufnr) or not it.attached_buffers[bufnr] then
      return
    elseif vim.api.nvim_buf_get_changedtick(bufnr) == tick then
      draw(answer or {})
    else
      -- The text was changed meanwhile, so lines may have moved.
      vim.defer_fn(function()
        M.update(bufnr)
      end, 200)
    end
  end, bufnr)
end

--- Redraws a buffer.
---@param bufnr integer
function M.update(bufnr)
  local it = client.all(bufnr)[1]
  if not it or not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  end
  -- Jumps to lines with a hint need hints even if they are not drawn.
  local last = { line = vim.api.nvim_buf_line_count(bufnr), character = 0 }
  local range = { start = { line = 0, character = 0 }, ["end"] = last }
  ask(it, bufnr, "textDocument/inlayHint", { range = range }, function(hints)
    draw_hints(bufnr, hints)
  end)
  if options.lenses then
    ask(it, bufnr, "textDocument/codeLens", {}, function(lenses)
      draw_lenses(bufnr, lenses)
      if not vim.lsp.codelens.enable then
        -- For `vim.lsp.codelens.run()`.
        vim.lsp.codelens.save(lenses, bufnr, it.id)
      end
    end)
  else
    draw_lenses(bufnr, {})
  end
end

--- Redraws the buffers of a client, or of all clients.
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

--- Removes what was drawn for a client.
---@param bufnr integer
---@param client_id integer
function M.clear(bufnr, client_id)
  local it = vim.lsp.get_client_by_id(client_id)
  if not it or it.name ~= client.name then
    return
  end
  if vim.api.nvim_buf_is_loaded(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, hint_marks, 0, -1)
    vim.api.nvim_buf_clear_namespace(bufnr, lens_marks, 0, -1)
  end
  requests_of[bufnr] = nil
end

--- Moves the cursor to the next line with a hint.
---@param direction 1|-1
function M.jump(direction)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local from, to = direction == 1 and 0 or -1, direction == 1 and -1 or 0
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, hint_marks, from, to, {})) do
    if (mark[2] - row) * direction > 0 then
      vim.cmd.normal({ "m'", bang = true })
      vim.api.nvim_win_set_cursor(0, { mark[2] + 1, 0 })
      return vim.cmd.normal({ "^", bang = true })
    end
  end
  client.notify(("no line with a cost %s"):format(direction == 1 and "below" or "above"))
end

return M
