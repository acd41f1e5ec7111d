--- The window of the call tree: its rows, folds, orders, preview, and what it does when costs change.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

---@param key string
local function press(key)
  vim.api.nvim_feedkeys(vim.keycode(key), "mx", false)
end

---@return string[]
local function lines()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

--- Waits for a line of the tree.
---@param word string
---@return string line
---@return integer number
local function wait_line(word)
  local found, number
  t.wait(word, function()
    for index, line in ipairs(lines()) do
      if line:find(word, 1, true) then
        found, number = line, index
        return true
      end
    end
  end)
  return found, number
end

---@param word string
local function cursor_on(word)
  local _, number = wait_line(word)
  vim.api.nvim_win_set_cursor(0, { number, 0 })
end

---@return string
local function current()
  return vim.api.nvim_get_current_line()
end

---@return integer
local function code_window()
  return t.wait("a window with code", function()
    for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
      if vim.bo[vim.api.nvim_win_get_buf(window)].buftype == "" then
        return window
      end
    end
  end)
end

--- The share of the samples whose stack begins with these functions.
---@param ... string
---@return string
local function below(...)
  local names = { ... }
  return t.percent(function(stack)
    local frames = vim.split(stack, ";")
    for index, name in ipairs(names) do
      if not vim.startswith(frames[index] or "", name .. " (") then
        return false
      end
    end
    return true
  end)
end

--- The marker and the name of each row.
---@return string[]
local function names()
  return vim.tbl_map(function(line)
    return vim.trim(line:match("▾.-  ") or line:match("▸.-  ") or line:match("%% +([^%d%s].-)  ") or line)
  end, lines())
end

t.run({
  {
    "the roots, hottest first",
    function()
      t.edit("main.py")
      t.wait_shown("main.py", "before")
      vim.cmd("Costline tree")
      local root, number = wait_line("<module>")
      t.same(number, 1)
      t.same(vim.bo.filetype, "costline-tree")
      t.expect(root:find(below("<module>"), 1, true) and root:find("▸ <module>  main.py:", 1, true), root)
      -- 83.9% of eight cells.
      t.expect(vim.startswith(root, ("█"):rep(6) .. "▊  "), root)
      local thread = wait_line("▸ _bootstrap  ")
      t.expect(vim.endswith(thread, "  Thread"), thread)
      t.expect(thread:find(below("Thread._bootstrap"), 1, true), thread)
      -- In a narrow window the columns and the name stay.
      t.expect(vim.wo.winbar:find("Call tree%< · gridworld.folded (samples) · by total", 1, true), vim.wo.winbar)
      t.same(vim.fn.bufname(), "costline-tree")
    end,
  },
  {
    "nodes are opened and closed",
    function()
      press("<CR>")
      local main = wait_line("▸ main  ")
      t.expect(main:find(below("<module>", "main"), 1, true), main)
      cursor_on("▸ main  ")
      press("<Tab>")
      local solve_all = wait_line("▸ solve_all  ")
      t.expect(solve_all:find(below("<module>", "main", "solve_all"), 1, true), solve_all)
      press("zc")
      t.wait("a closed node", function()
        return not table.concat(lines()):find("solve_all", 1, true)
      end)
      t.expect(current():find("▸ main  ", 1, true), current())
      press("zc")
      t.expect(current():find("▸ <module>  ", 1, true), current())
      t.same(#lines(), 2)
    end,
  },
  {
    "the hot path leads to the hottest self cost",
    function()
      press("e")
      t.wait("the end of the hot path", function()
        return current():find(" 6%.2%% +%+%d+ ▾ carve ↻")
      end)
      -- A quarter of the window is indented.
      t.same(vim.api.nvim_win_get_width(0), 40)
      local indent = current():match("%%( +)%+%d")
      t.same(#indent, 1 + 10)
      local path = table.concat(names(), "\n")
      t.expect(path:find("▾ <module>\n▾ main\n▾ solve_all\n▾ build\n▾ carve", 1, true), path)
      t.expect(path:find("carve ↻", 1, true), path)
    end,
  },
  {
    "walking the path",
    function()
      t.answer({ " solve_all " })
      press("f")
      t.expect(current():find("▾ solve_all", 1, true), current())
      press("-")
      t.expect(current():find("▾ main", 1, true), current())
      t.wait("all children", function()
        return vim.tbl_contains(names(), "▸ ackermann")
      end)
    end,
  },
  {
    "the source: beside, and gone to",
    function()
      cursor_on("▾ build  ")
      press("p")
      local window = code_window()
      t.wait("the source beside", function()
        return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)) == t.stage.root .. "/grid/maze.py"
      end)
      t.same(vim.bo.filetype, "costline-tree")
      press("p")
      cursor_on("▾ main  ")
      press("gd")
      t.same(vim.api.nvim_get_current_win(), window)
      t.same(vim.api.nvim_buf_get_name(0), t.stage.root .. "/main.py")
      t.same(vim.api.nvim_win_get_cursor(0)[1], t.line_of("main"))
      vim.cmd("Costline tree")
      t.same(vim.bo.filetype, "costline-tree")
      t.same(#vim.api.nvim_tabpage_list_wins(0), 2)
    end,
  },
  {
    "orders",
    function()
      press("zM")
      t.wait_same("roots", { "▸ <module>", "▸ _bootstrap" }, names)
      cursor_on("<module>")
      press("<CR>")
      cursor_on("▸ main  ")
      press("<CR>")
      wait_line("▸ solve_all  ")
      press("s")
      press("s")
      t.wait("rows by name", function()
        return vim.wo.winbar:find("by name", 1, true) and vim.tbl_contains(names(), "▸ solve_all")
      end)
      -- The callees of `main`, by their whole names.
      local functions = {}
      for _, line in ipairs(lines()) do
        local name, qualifier = line:match("%% +    [▸ ]+ ([^%s]+)  [^%s]+ *(.*)$")
        if name then
          table.insert(functions, qualifier == "" and name or ("%s.%s"):format(qualifier, name))
        end
      end
      t.expect(#functions > 2, lines())
      local ordered = vim.deepcopy(functions)
      table.sort(ordered, function(a, b)
        return a:lower() < b:lower()
      end)
      t.same(functions, ordered)
      t.expect(current():find("▾ main", 1, true), current())
      press("s")
      t.wait("rows by total", function()
        return vim.wo.winbar:find("by total", 1, true)
      end)
    end,
  },
  {
    "bottom-up",
    function()
      press("i")
      t.wait("leaves", function()
        return vim.wo.winbar:find("bottom-up", 1, true)
      end)
      for name, cost in pairs(t.stage.before.functions["main.py"]) do
        if tonumber((cost.self:gsub("%%", ""))) > 5 then
          local last = name:match("[^.]+$")
          t.expect(wait_line(last .. "  "):find(" " .. cost.self, 1, true), name, cost)
        end
      end
      local shares = vim.tbl_map(function(line)
        return tonumber(line:match("([%d.]+)%%"))
      end, lines())
      for index = 2, #shares do
        t.expect(shares[index - 1] >= shares[index], shares)
      end
      press("i")
      wait_line("▸ <module>")
    end,
  },
  {
    "a node whose costs are shown, and the tree then",
    function()
      cursor_on("<module>")
      press("<CR>")
      wait_line("▸ main  ")
      cursor_on("▸ _bootstrap  ")
      t.answer({ "Show the costs of this node" })
      press("t")
      t.wait("the tree of the node", function()
        return lines()[1]:find("100.0%", 1, true) and lines()[1]:find(" _bootstrap  ", 1, true)
      end)
      vim.cmd("Costline transform clear")
      -- It is open as before.
      wait_line("▸ main  ")
    end,
  },
  {
    "a rewritten profile is drawn, with the same nodes open",
    function()
      t.rewrite()
      local main = t.wait("the new cost of main", function()
        local line = wait_line("main  main.py")
        return line:find(t.stage.after.functions["main.py"].main.total, 1, true)
      end)
      t.expect(main)
      t.same(names()[1], "▾ <module>")
    end,
  },
  {
    "the keys, and the end",
    function()
      press("g?")
      local window = t.wait("the keys", function()
        return vim.iter(vim.api.nvim_list_wins()):find(function(window)
          return vim.api.nvim_win_get_config(window).relative ~= ""
        end)
      end)
      local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n")
      t.expect(text:find("expand the hot path", 1, true) and text:find("gd ", 1, true), text)
      vim.api.nvim_win_close(window, true)
      press("q")
      t.same(#vim.api.nvim_tabpage_list_wins(0), 1)
      t.wait_shown("main.py", "after")
    end,
  },
  {
    "changes that may be noise are left out",
    function()
      -- Of 1100 samples each.
      local profiles = {
        base = { quiet = 100, loud = 100, rest = 900 },
        compared = { quiet = 101, loud = 400, rest = 599 },
      }
      for name, samples in pairs(profiles) do
        local rows = {}
        for callee, count in pairs(samples) do
          table.insert(rows, ("main (main.py:1);%s (main.py:1) %d"):format(callee, count))
        end
        vim.fn.writefile(rows, ("%s/profiles/%s.folded"):format(t.stage.root, name))
      end
      vim.cmd("Costline profile profiles/compared.folded")
      vim.cmd("Costline baseline profiles/base.folded")
      vim.cmd("Costline tree")
      wait_line("main  main.py")
      press("<CR>")
      t.expect(wait_line("loud  "):find("▲", 1, true), lines())
      t.expect(not wait_line("quiet  "):find("▲", 1, true), lines())
      t.expect(vim.wo.winbar:find("^ +total  self +change   Call tree"), vim.wo.winbar)
      press("q")
      vim.cmd("Costline! baseline")
      vim.cmd("Costline! profile")
    end,
  },
  {
    "a node with more children than the server sends at once",
    function()
      -- `z` is the hottest, and last by name. `f0001` comes before the other functions.
      local stacks = { "main (main.py:1);f0001 (main.py:1);leaf (main.py:1) 9", "main (main.py:1);z (main.py:1);deep (main.py:1) 99" }
      for number = 2, 2100 do
        table.insert(stacks, ("main (main.py:1);f%04d (main.py:1) 1"):format(number))
      end
      vim.fn.writefile(stacks, t.stage.root .. "/profiles/wide.folded")
      vim.cmd("Costline tree")
      t.wait("the other profile", function()
        return vim.wo.winbar:find("wide.folded", 1, true)
      end)
      t.wait_same("the root", { "▸ main" }, names)
      cursor_on("▸ main")
      press("<CR>")
      cursor_on("▸ f0001  ")
      press("<CR>")
      wait_line("leaf  ")
      cursor_on("… 2051 more")
      press("<CR>")
      wait_line("f0099  ")
      t.expect(vim.list_contains(names(), "▾ f0001"), names())
      wait_line("leaf  ")
      cursor_on("▾ main")
      press("zc")
      press("s")
      press("s")
      t.wait("rows by name", function()
        return vim.wo.winbar:find("by name", 1, true)
      end)
      press("e")
      t.wait("the end of the hot path", function()
        return current():find("deep", 1, true)
      end)
    end,
  },
})
