--- Reports on lines, and the source of a file or function with columns of costs.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

---@param key string
local function press(key)
  vim.api.nvim_feedkeys(vim.keycode(key), "mx", false)
end

---@return string[]
local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

--- The marks of the current buffer, with their texts.
---@param name string of the namespace
---@return {[1]: integer, [2]: integer, [3]: integer, [4]: table}[]
local function marks(name)
  return vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace(name), 0, -1, { details = true })
end

---@param chunks {[1]: string}[]
---@return string
local function text_of(chunks)
  return table.concat(vim.tbl_map(function(chunk)
    return chunk[1]
  end, chunks))
end

--- What is left of the code, by the lines that it names.
---@return table<string, string>
local function margins()
  local found = {}
  for _, mark in ipairs(marks("costline.annotate")) do
    local text = text_of(mark[4].virt_text)
    found[text:match("(%d+) │ $")] = text
  end
  return found
end

--- The totals that are left of the code.
---@return table<string, string>
local function totals()
  local found = {}
  for number, text in pairs(margins()) do
    found[number] = text:match("%s(%S+)%s+%d+ │ $")
  end
  return found
end

--- The totals of the hints of a file, and of the lines that cost less than hints show.
---@param recording "before"|"after"
---@param first integer
---@param last integer
local function wait_totals(recording, first, last)
  t.wait("the totals " .. recording, function()
    local shown = totals()
    return vim.iter(t.stage[recording].lines["grid/maze.py"]):all(function(number, total)
      local line = tonumber(number)
      return line < first or line > last or shown[number] == total
    end)
  end)
end

--- The rows below the code: what lines call.
---@return string[]
local function callees()
  local found = {}
  for _, mark in ipairs(marks("costline.annotate.callees")) do
    vim.list_extend(found, vim.tbl_map(text_of, mark[4].virt_lines))
  end
  return found
end

---@return string
local function floating()
  return t.wait("a floating window", function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n")
        vim.api.nvim_win_close(window, true)
        return text
      end
    end
  end)
end

-- The call of `carve` in `build`.
local CALL = 31
local total = t.stage.before.lines["grid/maze.py"][tostring(CALL)]

t.run({
  {
    "the report on a line, wherever the cursor is in it",
    function()
      t.edit("grid/maze.py")
      t.wait_shown("grid/maze.py", "before")
      vim.api.nvim_win_set_cursor(0, { CALL, 0 })
      vim.cmd("Costline line")
      local text = floating()
      t.expect(text:find(("line %d"):format(CALL), 1, true) and text:find("total " .. total, 1, true), text)
      vim.api.nvim_win_set_cursor(0, { 1, 0 })
      vim.cmd("Costline line")
      text = floating()
      t.expect(text:find("no sample", 1, true), text)
    end,
  },
  {
    "a file with its costs left of the code",
    function()
      local code = lines()
      vim.api.nvim_win_set_cursor(0, { CALL, 4 })
      vim.cmd("Costline annotate")
      t.same({ vim.bo.filetype, vim.bo.syntax, vim.bo.modifiable }, { "costline-annotate", "python", false })
      t.same(vim.api.nvim_win_get_cursor(0)[1], CALL)
      wait_totals("before", 1, #code)
      t.same(lines(), code)
      t.expect(vim.startswith(vim.wo.winbar, "self total "), vim.wo.winbar)
      -- All lines have a margin of the same width, also those without a cost.
      local widths = {}
      for _, text in pairs(margins()) do
        widths[vim.fn.strdisplaywidth(text)] = true
      end
      t.same(#vim.tbl_keys(widths), 1)
      t.same(vim.tbl_count(margins()), #code)
      press("K")
      local text = floating()
      t.expect(text:find(("line %d"):format(CALL), 1, true), text)
    end,
  },
  {
    "what a line calls unfolds below it, and folds again",
    function()
      press("<CR>")
      t.wait("the callee", function()
        return #callees() == 1
      end)
      t.expect(callees()[1]:find(("^ *%s  .*carve .*maze.py:20"):format(vim.pesc(total))), callees())
      press("za")
      t.same(callees(), {})
      vim.api.nvim_win_set_cursor(0, { 1, 0 })
      t.same(
        t.said(function()
          press("<CR>")
        end),
        { "costline: this line calls nothing that has a cost" }
      )
    end,
  },
  {
    "a function, and back to its source",
    function()
      press("q")
      t.same(#vim.api.nvim_list_tabpages(), 1)
      t.edit("main.py")
      t.expect(vim.list_contains(vim.fn.getcompletion("Costline annotate ", "cmdline"), "solve"))
      vim.cmd("Costline annotate solve")
      local first, last = 53, 76
      wait_totals("before", first, last)
      t.same(lines()[1], "def solve(cells, start, goal):")
      t.expect(totals()[tostring(first - 1)] == nil and not lines()[#lines()]:find("^def"), lines())
      vim.cmd.normal({ "3G", bang = true })
      press("gd")
      t.same(#vim.api.nvim_list_tabpages(), 1)
      t.same(vim.api.nvim_buf_get_name(0), t.stage.root .. "/grid/maze.py")
      t.same(vim.api.nvim_win_get_cursor(0)[1], first + 2)
      t.expect(t.said(function()
        vim.cmd("Costline annotate no_such_function")
      end)[1]:find("no function of the project with a cost", 1, true))
    end,
  },
  {
    "costs follow a rewritten profile, with a column for their change",
    function()
      vim.cmd("Costline annotate")
      local code = lines()
      wait_totals("before", 1, #code)
      vim.api.nvim_win_set_cursor(0, { CALL, 0 })
      press("<CR>")
      vim.cmd("Costline baseline true")
      t.wait("the column", function()
        return vim.startswith(vim.wo.winbar, "self total") and #callees() == 1
      end)
      t.rewrite()
      t.wait("the change", function()
        return vim.wo.winbar:find("^self total +change ") and (margins()[tostring(CALL)] or ""):find("▼%d+ samples")
      end)
      local after = t.stage.after.lines["grid/maze.py"][tostring(CALL)]
      t.expect(margins()[tostring(CALL)]:find(" " .. after, 1, true), margins()[tostring(CALL)], after)
      t.wait("the callee", function()
        return (callees()[1] or ""):find(after, 1, true)
      end)
    end,
  },
})
