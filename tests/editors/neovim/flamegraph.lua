--- The flame graph in a window: its frames, zoom, source, and what it does when costs change.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

---@param key string
local function press(key)
  vim.api.nvim_feedkeys(vim.keycode(key), "mx", false)
end

---@return string[]
local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

--- The names and widths of the frames of a row, from left to right.
---@param number integer
---@return [string, integer][]
local function frames(number)
  local found, texts = {}, vim.split(lines()[number] or "", "▏")
  for index = 2, #texts do
    table.insert(found, { vim.trim(texts[index]), 1 + vim.fn.strdisplaywidth(texts[index]) })
  end
  return found
end

--- Cells of a share of the window, whose left edge is that of the window.
---@param percent string
---@return integer
local function cells(percent)
  return math.floor(tonumber((percent:gsub("%%", ""))) / 100 * vim.o.columns + 0.5)
end

---@param name string
---@return integer line
local function cursor_on(name)
  return t.wait(name, function()
    for number, line in ipairs(lines()) do
      local column = line:find("▏" .. name, 1, true)
      if column then
        vim.api.nvim_win_set_cursor(0, { number, column - 1 })
        vim.api.nvim_exec_autocmds("CursorMoved", { buffer = 0 })
        return number
      end
    end
  end)
end

--- Waits for rows.
---@param expected [string, integer][][]
local function wait_rows(expected)
  t.wait_same("rows", expected, function()
    local found = {}
    for number = 1, #expected do
      found[number] = frames(number + 1)
    end
    return found
  end)
end

local WIDTH = vim.o.columns
local module, main = t.path("<module>", "main"), t.path("main", "solve_all")

t.run({
  {
    "frames are as wide as their shares",
    function()
      t.edit("main.py")
      t.wait_shown("main.py", "before")
      vim.cmd("Costline flamegraph")
      t.wait("the first row", function()
        return lines()[1]:find("▏gridworld.folded (samples) · 1395 samples", 1, true)
      end)
      t.same(vim.bo.filetype, "costline-flamegraph")
      local left = cells(t.path("<module>"))
      wait_rows({ { { "<module>", left }, { "_bootstrap", WIDTH - left } } })
      local solve_all = frames(4)[1]
      t.same(solve_all, { "solve_all", cells(main) })
      -- Deep recursion is drawn as well.
      t.expect(#lines() > 60, #lines())
    end,
  },
  {
    "the frame under the cursor is described",
    function()
      t.same(cursor_on("main"), 3)
      t.expect(vim.wo.winbar:find("main  " .. module:gsub("%%", "%%%%") .. " · self ", 1, true), vim.wo.winbar)
      t.expect(vim.wo.winbar:find("main.py:57", 1, true), vim.wo.winbar)
      press("j")
      vim.api.nvim_exec_autocmds("CursorMoved", { buffer = 0 })
      t.expect(vim.wo.winbar:find("%<solve_all  ", 1, true), vim.wo.winbar)
      press("l")
      vim.api.nvim_exec_autocmds("CursorMoved", { buffer = 0 })
      t.expect(vim.wo.winbar:find("%<timed.<locals>.wrapper  ", 1, true), vim.wo.winbar)
      press("h")
      vim.api.nvim_exec_autocmds("CursorMoved", { buffer = 0 })
      t.expect(vim.wo.winbar:find("%<solve_all  ", 1, true), vim.wo.winbar)
    end,
  },
  {
    "zoom and back",
    function()
      cursor_on("solve_all")
      press("<CR>")
      wait_rows({ { { "<module>", WIDTH } }, { { "main", WIDTH } }, { { "solve_all", WIDTH } } })
      t.same(vim.api.nvim_win_get_cursor(0)[1], 4)
      t.same(frames(5)[1][1], "build")
      t.same(frames(5)[2][1], "solve")
      cursor_on("neighb")
      press("<CR>")
      t.wait("a leaf", function()
        return vim.deep_equal(frames(6), { { "neighbours", WIDTH } })
      end)
      press("<BS>")
      t.wait("solve_all", function()
        return #frames(5) > 1 and #frames(4) == 1
      end)
      press("<BS>")
      t.wait("all", function()
        return #frames(2) == 2
      end)
      press("<BS>")
      t.same(#frames(2), 2)
    end,
  },
  {
    "frames that are too narrow are counted and can be reached",
    function()
      t.expect(lines()[1]:find("too narrow to draw: %d+"), lines()[1])
      cursor_on("<module>")
      press("<CR>")
      t.wait("the module", function()
        return vim.deep_equal(frames(2), { { "<module>", WIDTH } })
      end)
      t.same(frames(3), { { "main", WIDTH } })
      press(">")
      t.wait("the other callees", function()
        return vim.deep_equal(frames(3), { { "_find_and_load", WIDTH } })
      end)
      press("<BS>")
      t.wait("main again", function()
        return vim.deep_equal(frames(3), { { "main", WIDTH } })
      end)
      vim.api.nvim_win_set_cursor(0, { 1, 0 })
      press("<CR>")
      t.wait("all", function()
        return #frames(2) == 2
      end)
    end,
  },
  {
    "bottom-up and back",
    function()
      press("i")
      t.wait("the leaves", function()
        return lines()[1]:find("bottom-up", 1, true)
      end)
      local own = cells(t.stage.before.functions["grid/maze.py"].solve.self)
      local found = vim.iter(frames(2)):find(function(frame)
        return frame[1] == "solve"
      end)
      t.expect(found and math.abs(found[2] - own) <= 1, frames(2), own)
      t.expect(vim.startswith(lines()[3] or "", "▏"), lines())
      press("<BS>")
      t.wait("the roots", function()
        return frames(2)[1][1] == "<module>"
      end)
    end,
  },
  {
    "the window is made narrower",
    function()
      vim.cmd("vsplit | vertical resize 39 | wincmd w")
      local narrow = vim.api.nvim_get_current_win()
      vim.cmd("wincmd p | close")
      vim.api.nvim_set_current_win(narrow)
      t.wait("the whole width", function()
        return vim.fn.strdisplaywidth(lines()[1]) == WIDTH
      end)
    end,
  },
  {
    "the source",
    function()
      cursor_on("solve")
      press("gd")
      t.same(vim.api.nvim_buf_get_name(0), t.stage.root .. "/main.py")
      t.same(vim.api.nvim_win_get_cursor(0)[1], t.line_of("solve_all"))
      vim.cmd("Costline flamegraph")
      t.same(vim.bo.filetype, "costline-flamegraph")
      t.same(#vim.api.nvim_tabpage_list_wins(0), 2)
    end,
  },
  {
    "a node that is hidden",
    function()
      cursor_on("_bootstrap")
      t.answer({ "Hide samples with node" })
      press("t")
      t.wait("only the module", function()
        return vim.deep_equal(frames(2), { { "<module>", WIDTH } })
      end)
      t.expect(lines()[1]:find("hide node: _bootstrap"), lines()[1])
      vim.cmd("Costline transform clear")
      t.wait("both", function()
        return #frames(2) == 2
      end)
    end,
  },
  {
    "a rewritten profile is drawn, with a baseline with the changes of its frames",
    function()
      vim.cmd("Costline baseline true")
      local client = require("costline.client")
      t.wait("the baseline", function()
        return type(client.shown(assert(client.current())).baseline) == "table"
      end)
      t.rewrite()
      t.wait("the change of main", function()
        return table.concat(lines(), "\n"):find("▏main ▼%d+ samples")
      end)
      vim.cmd("Costline! baseline")
      local left = cells(t.stage.after.functions["main.py"].main.total)
      t.wait("the new width of main", function()
        local found = frames(3)[1]
        return found and math.abs(found[2] - left) <= 1 and found[1] == "main"
      end)
      press("q")
      t.wait_shown("main.py", "after")
    end,
  },
})
