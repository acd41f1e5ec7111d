--- `:Costline`: every subcommand, its completion, and its lists.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

local other = t.stage.root .. "/profiles/other.folded"
-- Older, so that it is not shown by default, but not older than the sources.
assert(vim.uv.fs_copyfile(t.stage.next, other))
assert(vim.uv.fs_utime(other, 1.5e9, 1.5e9))
for _, file in ipairs({ "main.py", "grid/maze.py", "grid/report.py" }) do
  assert(vim.uv.fs_utime(t.stage.root .. "/" .. file, 1e9, 1e9))
end

local path = t.path

---@return {title: string, items: table[]}
local function quickfix()
  return vim.fn.getqflist({ title = 1, items = 1 })
end

--- Waits for a new list and closes its window.
---@param command string
---@param title string what its title contains
---@return table[]
local function listed(command, title)
  if vim.bo.buftype ~= "quickfix" then
    vim.fn.setqflist({}, "f")
  end
  vim.cmd(command)
  t.wait(command, function()
    return quickfix().title:find(title, 1, true)
  end)
  local items = quickfix().items
  for _, item in ipairs(items) do
    item.file = item.bufnr > 0 and vim.api.nvim_buf_get_name(item.bufnr):gsub(vim.pesc(t.stage.root) .. "/", "") or nil
  end
  return items
end

---@param items table[]
---@param word string
---@return table
local function row_with(items, word)
  for _, item in ipairs(items) do
    if (item.text .. "\n"):find(word, 1, true) then
      return item
    end
  end
  error(("no row with %s: %s"):format(word, vim.inspect(items)), 2)
end

--- The row about a function.
---@param items table[]
---@param name string
---@return table
local function row_named(items, name)
  for _, item in ipairs(items) do
    local data = vim.tbl_get(item, "user_data", "costline", "data")
    if data and data.name == name then
      -- The short name is first, after the costs.
      t.expect(item.text:find(("  %s  "):format(data.shortName), 1, true), item)
      return item
    end
  end
  error(("no row of %s: %s"):format(name, vim.inspect(items)), 2)
end

---@param row table
---@param cost string that of its first column
local function expect_first(row, cost)
  t.expect(vim.startswith(vim.trim(row.text), cost .. " "), row, cost)
end

local function close_lists()
  vim.cmd("silent cclose")
  vim.cmd("silent buffer main.py")
end

---@param word string
local function cursor_at(word)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local column = line:find(word, 1, true)
    if column then
      return vim.api.nvim_win_set_cursor(0, { number, column - 1 })
    end
  end
  error("nothing reads " .. word)
end

---@return string
local function floating()
  return t.wait("a floating window", function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= "" then
        t.expect(vim.wo[window].wrap and vim.wo[window].linebreak)
        local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), "\n")
        vim.api.nvim_win_close(window, true)
        return text
      end
    end
  end)
end

--- Waits until costs are compared with a profile, or with none.
---@param path? string
local function wait_baseline(path)
  local client = require("costline.client")
  t.wait_same("baseline", path, function()
    local baseline = client.shown(assert(client.current())).baseline
    return type(baseline) == "table" and baseline.path or nil
  end)
end

---@param line string
---@return string[]
local function completions(line)
  return vim.fn.getcompletion(line, "cmdline")
end

t.run({
  {
    "completion comes from the server",
    function()
      t.edit("main.py")
      t.wait_shown("main.py", "before")
      local names = completions("Costline ")
      local expected =
        "annotate baseline callees callers explain fix flamegraph hotspots info line log next paths prev profile record reload restart selection toggle transform tree view"
      for name in vim.gsplit(expected, " ") do
        t.expect(vim.tbl_contains(names, name), name, names)
      end
      t.same(completions("Costline hotsp"), { "hotspots" })
      local orders = { "charged", "self", "total", "change", "calls", "percall" }
      -- Neither cliques nor fields: the profile has stacks, and is not Mercury's.
      local rows = { "functions", "lines", "edges", "files", "modules", "packages", "libraries", "threads" }
      t.same(completions("Costline hotspots "), vim.list_extend(rows, orders))
      t.same(completions("Costline hotspots lines total "), { "percall" })
      t.same(completions("Costline hotspots percall "), { "charged", "self", "total", "change", "calls" })
      t.same(completions("Costline hotspots lnies "), {})
      t.same(completions("Costline callers "), { "site", "function", "module", "clique" })
      t.same(completions("Costline callees c"), { "clique" })
      t.same(completions("Costline hotspots functions "), orders)
      t.same(completions("Costline hotspots! functions "), orders)
      t.same(completions("Costline! hotspots functions "), orders)
      t.same(completions("Costline toggle h"), { "hints", "heat" })
      t.expect(vim.tbl_contains(completions("Costline view "), "unit"))
      t.same(completions("Costline view unit "), { "percent", "absolute", "both" })
      t.same(completions("Costline profile "), { t.stage.profile, other })
      t.same(completions("Costline baseline "), { "Nothing", "true", "previous", "previous:5", other })
      -- Files, and revisions of Git.
      t.same(completions("Costline profile profiles/oth"), { "profiles/other.folded" })
      t.same(completions("Costline baseline profiles/oth"), { "profiles/other.folded" })
      local git = { "git", "-c", "user.name=a", "-c", "user.email=a@example.org" }
      for _, arguments in ipairs({
        { "init", "--quiet", "--initial-branch", "main" },
        { "commit", "--quiet", "--allow-empty", "--message", "a" },
        { "tag", "v1" },
      }) do
        t.same(vim.system(vim.list_extend(vim.list_slice(git), arguments), { cwd = t.stage.root }):wait().code, 0)
      end
      t.same(completions("Costline baseline git:"), { "git:main", "git:v1" })
      t.same(completions("Costline baseline git:v"), { "git:v1" })
      vim.fn.delete(t.stage.root .. "/.git", "rf")
      t.same(completions("Costline view overlay "), { "Nothing", other })
      t.expect(vim.tbl_contains(completions("Costline transform push "), "focus-function"))
    end,
  },
  {
    "the help has every subcommand, and its links lead somewhere",
    function()
      local help = vim.fn.tempname()
      vim.fn.mkdir(help .. "/doc", "p")
      local file = assert(vim.api.nvim_get_runtime_file("doc/costline.txt", false)[1])
      assert(vim.uv.fs_copyfile(file, help .. "/doc/costline.txt"))
      vim.cmd("helptags " .. help .. "/doc")
      vim.opt.runtimepath:append(help)
      for _, name in ipairs(completions("Costline ")) do
        local tag = ":Costline-" .. name
        t.expect(vim.tbl_contains(vim.fn.getcompletion(tag, "help"), tag), tag)
      end
      for link in table.concat(vim.fn.readfile(file), "\n"):gmatch("|([^|%s]+)|") do
        -- A bar between values, as in `a|b`, is no link.
        local found = vim.fn.getcompletion(link, "help")
        t.expect(vim.tbl_contains(found, link) or link == "lenses", link)
      end
      vim.opt.runtimepath:remove(help)
    end,
  },
  {
    "hot functions",
    function()
      local items = listed("Costline hotspots", "hottest functions · gridworld.folded (samples)")
      t.expect(#items > 10, items)
      for file, functions in pairs(t.stage.before.functions) do
        for name, cost in pairs(functions) do
          local row = row_named(items, name)
          t.expect(row.text:find((" %s +%s  "):format(vim.pesc(cost.self), vim.pesc(cost.total))), row, cost)
          t.expect(file == row.file or row.file:find("^costline:///"), file, row)
        end
      end
      t.same(vim.bo.buftype, "quickfix")
      -- The costs have a heading instead of words in each row.
      local heading = require("costline.quickfix").heading()
      t.same(vim.split(heading, "%s+"), { "with", "libs", "self", "total" })
      local row = row_named(items, "solve")
      t.same(row.text:find("  solve", 1, true), #heading + 1)
      t.expect(vim.endswith(row.text, "  maze.py:53") and not row.text:find("self", 1, true), row)
      t.same(vim.fn.getline(vim.fn.search("  solve  ")), row.text)
      -- Functions without a source say so instead of a URI.
      local rows = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
      t.expect(not rows:find("costline:", 1, true), rows)
      close_lists()
    end,
  },
  {
    "hot functions in a picker",
    function()
      local shown
      package.loaded.snacks = {
        picker = {
          pick = function(options)
            shown = options
          end,
        },
      }
      vim.cmd("Costline hotspots")
      t.wait("the picker", function()
        return shown
      end)
      package.loaded.snacks = nil
      t.expect(vim.startswith(shown.title, "with libs self total: hottest functions · "), shown.title)
      -- The costs are below each other, and the name is before the place.
      local costs = shown.items[1].text:match("^[ %d.%%]+%%")
      for _, item in ipairs(shown.items) do
        t.same(#(item.text:match("^[ %d.%%]+%%") or ""), #costs)
      end
      local solve = vim.iter(shown.items):find(function(item)
        return item.text:find("%%  solve +maze.py:53$")
      end)
      t.expect(solve, shown.items)
      local function close() end
      shown.confirm({ close = close }, solve)
      t.same(vim.api.nvim_buf_get_name(0), t.stage.root .. "/grid/maze.py")
      t.same(vim.api.nvim_win_get_cursor(0)[1], 53)
      t.edit("main.py")
    end,
  },
  {
    "hot lines",
    function()
      local items = listed("Costline hotspots lines", "hottest lines")
      local seen = 0
      for _, item in ipairs(items) do
        local cost = (t.stage.before.lines[item.file] or {})[tostring(item.lnum)]
        if cost then
          t.expect(item.text:find((" %s  %s:%d  "):format(cost, item.file, item.lnum), 1, true), item, cost)
          local code = vim.fn.readfile(t.stage.root .. "/" .. item.file)[item.lnum]
          t.expect(vim.endswith(item.text, "  " .. vim.trim(code)), item, code)
          seen = seen + 1
        end
      end
      t.expect(seen > 30, items)
      close_lists()
    end,
  },
  {
    "hot calls",
    function()
      local items = listed("Costline hotspots edges total", "hottest calls")
      t.expect(items[1].text:find("%  <module> → main  ", 1, true), items[1])
      t.same(items[1].file, "main.py")
      -- Both names are short, and the code of the call is at the end.
      t.expect(vim.endswith(row_with(items, "  carve → shuffle  ").text, "  rng.shuffle(options)"), items)
      close_lists()
    end,
  },
  {
    "other words are refused",
    function()
      for command, message in pairs({
        ["hotspots lnies"] = "there is no `lnies`; expected functions,",
        ["hotspots lines self total"] = "`total` cannot be added to `lines self`",
        ["hotspots lines files"] = "`files` cannot be added to `lines`",
        ["callers lnies"] = "expected site, function, module, clique",
      }) do
        local said = t.said(function()
          vim.cmd("Costline " .. command)
        end)[1]
        t.expect(said and said:find(message, 1, true), command, said)
      end
      -- What the profile does not have, the server explains.
      local said = t.said(function()
        vim.cmd("Costline hotspots cliques")
      end)
      t.expect(said[1]:find("only call graphs have cliques", 1, true), said)
    end,
  },
  {
    "callers keep the path, from list to list",
    function()
      t.edit("grid/maze.py")
      t.wait_shown("grid/maze.py", "before")
      cursor_at("build(")
      local items = listed("Costline callers", "callers of build")
      local solve_all = row_with(items, "solve_all")
      expect_first(solve_all, path("solve_all", "build"))
      t.same(solve_all.file, "main.py")
      t.expect(vim.fn.readfile(t.stage.root .. "/main.py")[solve_all.lnum]:find("build"), solve_all)
      -- Callees of a list entry: only what came through `solve_all`.
      for number, item in ipairs(items) do
        if item.text == solve_all.text then
          vim.api.nvim_win_set_cursor(0, { number, 0 })
        end
      end
      local callers = listed("Costline callers", "callers of solve_all › build")
      expect_first(row_named(callers, "main"), path("main", "solve_all", "build"))
      close_lists()
    end,
  },
  {
    "callees",
    function()
      cursor_at("solve_all(")
      local items = listed("Costline callees", "callees of solve_all")
      local build = row_named(items, "build")
      t.expect(build.text:find(path("solve_all", "build") .. "  build", 1, true), build)
      t.same(build.file, "grid/maze.py")
      vim.cmd("silent buffer maze.py")
      t.same(build.lnum, t.line_of("build"))
      close_lists()
    end,
  },
  {
    "selected lines: their shares, and their callers",
    function()
      t.edit("grid/maze.py")
      t.wait_shown("grid/maze.py", "before")
      -- The end of `build`.
      local first, last = 31, 32
      local function is_selected(frame)
        local line = tonumber(frame:match(" %(grid/maze.py:(%d+)%)$"))
        return line and first <= line and line <= last
      end
      local whole = t.percent(function(stack)
        return vim.iter(vim.split(stack, ";")):any(is_selected)
      end)
      vim.cmd.normal({ ("%dGV%dG"):format(first, last), bang = true })
      vim.api.nvim_feedkeys(vim.keycode(":Costline selection<CR>"), "tx", false)
      local title = ("lines %d to %d: self "):format(first, last)
      t.wait("the list", function()
        return quickfix().title:find(title, 1, true)
      end)
      t.expect(quickfix().title:find("total " .. whole, 1, true), quickfix().title, whole)
      local items = quickfix().items
      t.same(items[1].lnum, first)
      local share = t.stage.before.lines["grid/maze.py"][tostring(first)]
      t.expect(items[1].text:find((" %s  line %d  carve("):format(share, first), 1, true), items)
      t.expect(vim.startswith(require("costline.quickfix").heading(), "of selection "))
      close_lists()
      vim.cmd("silent buffer maze.py")
      local callers = listed(("%d,%dCostline callers"):format(first, last), "callers of " .. title)
      t.same(#callers, 1)
      expect_first(row_named(callers, "solve_all"), whole)
      t.same(callers[1].file, "main.py")
      close_lists()
      -- Lists of other commands look as they always do.
      vim.cmd("silent vimgrep /def build/ grid/maze.py | copen")
      t.same({ vim.wo.winbar, vim.bo.syntax }, { "", "qf" })
      vim.cmd("silent colder")
      t.expect(vim.wo.winbar:find("heading"), vim.wo.winbar)
      close_lists()
      -- Lines without a cost.
      t.edit("grid/maze.py")
      t.expect(t.said(function()
        vim.cmd("1Costline selection")
      end)[1]:find("none of these lines has a cost", 1, true))
      t.edit("main.py")
    end,
  },
  {
    "a lens leads to the callers",
    function()
      vim.api.nvim_win_set_cursor(0, { t.line_of("solve_all"), 0 })
      local items = listed("lua vim.lsp.codelens.run()", "callers of solve_all")
      expect_first(row_named(items, "main"), path("main", "solve_all"))
      close_lists()
      vim.wait(200)
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "walking through callers and back to the code",
    function()
      t.edit("grid/maze.py")
      cursor_at("build(")
      local asked = t.answer({ "solve_all", " main ", "back", "go to source" })
      vim.cmd("Costline! callers")
      t.wait("the code of solve_all", function()
        return vim.api.nvim_buf_get_name(0) == t.stage.root .. "/main.py"
      end)
      t.same(
        vim.tbl_map(function(question)
          return question.prompt
        end, asked),
        {
          "Callers of build",
          "Callers of solve_all › build",
          "Callers of main › solve_all › build",
          "Callers of solve_all › build",
        }
      )
      t.expect(vim.api.nvim_get_current_line():find("build"), vim.api.nvim_get_current_line())
    end,
  },
  {
    "walking through the call tree",
    function()
      local asked = t.answer({ "<module>", " main", "go to source" })
      vim.cmd("Costline! tree")
      t.wait("three questions", function()
        return #asked == 3
      end)
      t.expect(table.concat(asked[2].entries):find(path("<module>", "main"), 1, true), asked)
      vim.wait(100)
      local inverted = t.answer({})
      vim.cmd("Costline tree! inverted")
      t.wait("leaves", function()
        return #inverted == 1
      end)
      local hottest = t.stage.before.functions["main.py"].fib or t.stage.before.functions["grid/maze.py"]["solve"]
      t.expect(table.concat(inverted[1].entries, "\n"):find(hottest.self, 1, true), inverted, hottest)
    end,
  },
  {
    "showing the costs of a call node",
    function()
      local asked = t.answer({ "<module>", " main", "show, merge or hide", "Show the costs of this node" })
      vim.cmd("Costline! tree")
      t.wait("the node", function()
        vim.cmd("Costline info")
        return #asked == 4 and floating():find("Transform: focus%-subtree:.*<module>>.*main")
      end)
      vim.wait(100)
      local roots = t.answer({})
      vim.cmd("Costline! tree")
      t.wait("the tree of the node", function()
        return #roots == 1
      end)
      t.expect(not table.concat(roots[1].entries, "\n"):find("<module>", 1, true), roots)
      vim.cmd("Costline transform clear")
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "functions without a file have a document",
    function()
      local items = listed("Costline hotspots", "hottest functions")
      local row = row_named(items, "JSONEncoder.encode")
      vim.cmd("silent cclose")
      vim.cmd.buffer(row.bufnr)
      local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
      t.expect(text:find("JSONEncoder.encode", 1, true), text)
      t.expect(text:find(t.stage.before.functions["json/encoder.py"]["JSONEncoder.encode"].total, 1, true), text)
      t.same({ vim.bo.buftype, vim.bo.modifiable, vim.bo.buflisted }, { "nofile", false, false })
      vim.cmd("silent buffer main.py")
    end,
  },
  {
    "explain",
    function()
      vim.api.nvim_win_set_cursor(0, { t.line_of("main"), 0 })
      vim.cmd("Costline explain")
      t.expect(floating():find("no sample", 1, true))
      vim.api.nvim_win_set_cursor(0, { tonumber((next(t.stage.before.lines["main.py"]))), 0 })
      vim.cmd("Costline explain")
      t.expect(floating():find("this line has a hint", 1, true))
    end,
  },
  {
    "view: given, picked, and back to the settings",
    function()
      vim.cmd("Costline view unit absolute")
      t.wait("absolute hints", function()
        return vim.tbl_contains(vim.tbl_values(t.drawn("hints")), "1171 samples")
          or t.drawn("hints")["74"]:find("samples")
      end)
      vim.cmd("Costline view! unit")
      t.wait_shown("main.py", "before")
      local asked = t.answer({ "Unit", "Absolute" })
      vim.cmd("Costline view")
      t.wait("absolute hints", function()
        return t.drawn("hints")["74"]:find("samples")
      end)
      t.expect(table.concat(asked[1].entries, "\n"):find("Unit: Percent", 1, true), asked)
      t.expect(
        table.concat(asked[2].entries, "\n"):find("● Percent", 1, true) or asked[2].entries[1]:find("●"),
        asked
      )
      t.answer({ "use the setting" })
      vim.cmd("Costline view unit")
      t.wait_shown("main.py", "before")
      t.expect(t.said(function()
        vim.cmd("Costline view nonsense 1")
      end)[1]:find("nothing to choose for `nonsense`", 1, true))
    end,
  },
  {
    "profile: given, and back",
    function()
      vim.cmd("Costline profile profiles/other.folded")
      t.wait_shown("main.py", "after")
      t.expect(require("costline").status():find("^other.folded"))
      vim.cmd("Costline! profile")
      t.wait_shown("main.py", "before")
      t.answer({ "other.folded" })
      vim.cmd("Costline profile")
      t.wait_shown("main.py", "after")
      vim.cmd("Costline! profile")
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "baseline",
    function()
      vim.cmd("Costline baseline profiles/other.folded")
      t.wait("differences", function()
        return (t.drawn("hints")["74"] or ""):find("▲", 1, true)
      end)
      vim.cmd("Costline info")
      t.expect(floating():find("Total: 903 samples → 1395 samples +54%", 1, true))
      vim.cmd("Costline baseline Nothing")
      t.wait_shown("main.py", "before")
      vim.cmd("Costline baseline true")
      wait_baseline(t.stage.profile)
      local asked = t.answer({ "Nothing" })
      vim.cmd("Costline baseline")
      wait_baseline(nil)
      -- For this choice, null is an option.
      t.expect(not table.concat(asked[1].entries, "\n"):find("use the setting", 1, true), asked)
      vim.cmd("Costline baseline profiles/other.folded")
      wait_baseline(other)
      vim.cmd("Costline! baseline")
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "transforms",
    function()
      cursor_at("solve_all(")
      vim.cmd("Costline transform push focus-function")
      t.wait("all in solve_all", function()
        return (t.drawn("lenses")[tostring(t.line_of("solve_all"))] or ""):find("total 100.0%", 1, true)
      end)
      vim.cmd("Costline info")
      t.expect(floating():find("Transform: .*solve_all"))
      vim.cmd("Costline transform pop")
      t.wait_shown("main.py", "before")
      vim.cmd("Costline transform push drop-function:solve_all")
      t.wait("nothing in solve_all", function()
        return not t.drawn("lenses")[tostring(t.line_of("solve_all"))]
      end)
      vim.cmd("Costline transform clear")
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "flame graph",
    function()
      local opened
      local open = vim.ui.open
      vim.ui.open = function(uri)
        opened = uri
        return {
          wait = function()
            return { code = 0 }
          end,
        }
      end
      vim.cmd("Costline! flamegraph")
      t.wait("a picture", function()
        return opened and vim.fn.execute("messages"):find("flame graph: ", 1, true)
      end)
      vim.ui.open = open
      local svg = table.concat(vim.fn.readfile(vim.uri_to_fname(opened)), "\n")
      t.expect(svg:find("<svg", 1, true) and svg:find("solve_all", 1, true))
    end,
  },
  {
    "info, paths, reload",
    function()
      t.expect(t.said(function()
        vim.cmd("Costline hotspots functions change")
      end)[1]:find(":Costline baseline", 1, true))
      vim.cmd("Costline info")
      local text = floating()
      t.expect(text:find("Total: 1395 samples", 1, true), text)
      t.expect(text:find("Profile: " .. t.stage.profile, 1, true) and text:find("Unit: Percent", 1, true), text)
      local items = listed("Costline paths", "files of the profile")
      t.same(row_with(items, "main.py").file, "main.py")
      t.expect(row_with(items, "json/encoder.py").bufnr == 0, items)
      close_lists()
      vim.cmd("Costline reload")
      vim.wait(300)
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "the menu has everything",
    function()
      local asked = t.answer({ "hottest functions" })
      vim.fn.setqflist({}, "f")
      vim.cmd("Costline!")
      t.wait("the list", function()
        return quickfix().title:find("hottest functions", 1, true)
      end)
      local entries = table.concat(asked[1].entries, "\n")
      for _, word in ipairs({
        "Profile: gridworld.folded",
        "Unit: Percent",
        "Reload the profile",
        "Flame graph in the browser",
        "Show a flame graph (:Costline flamegraph)",
        ":Costline callers",
      }) do
        t.expect(entries:find(word, 1, true), word, entries)
      end
      close_lists()
    end,
  },
  {
    "the menu with a key for each command shows the state",
    function()
      local function open()
        vim.cmd("Costline")
        t.same(vim.bo.filetype, "costline-menu")
        return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
      end
      local function press(key)
        vim.api.nvim_feedkeys(vim.keycode(key), "mx", false)
      end
      local text = open()
      t.expect(vim.startswith(text, "gridworld.folded · 1395 samples\n"), text)
      t.expect(text:find("h  hot spots  ", 1, true) and text:find("c  callers  ", 1, true), text)
      -- Choices have digits, and show their values.
      local key = text:match("(%d)  Unit +Percent")
      t.expect(key, text)
      for _, line in ipairs(vim.split(text, "\n")) do
        t.expect(vim.fn.strdisplaywidth(line) <= 80, line)
      end
      t.answer({ "Absolute" })
      press(key)
      t.same(vim.bo.filetype, "python")
      t.wait("absolute hints", function()
        return (t.drawn("hints")["74"] or ""):find("samples")
      end)
      t.expect(open():find("Unit +Absolute"))
      press("q")
      t.same(vim.bo.filetype, "python")
      vim.cmd("Costline! view unit")
      t.wait_shown("main.py", "before")
      cursor_at("solve_all(")
      open()
      vim.fn.setqflist({}, "f")
      press("c")
      t.wait("the callers", function()
        return quickfix().title:find("callers of solve_all", 1, true)
      end)
      close_lists()
    end,
  },
  {
    "maps",
    function()
      vim.keymap.set("n", "]h", "<Plug>(costline-next)")
      vim.api.nvim_win_set_cursor(0, { 1, 0 })
      vim.api.nvim_feedkeys("]h", "mx", false)
      t.wait("the hottest line", function()
        return vim.api.nvim_win_get_cursor(0)[1] ~= 1
      end)
      t.wait_shown("main.py", "before")
      vim.keymap.set("x", "gs", "<Plug>(costline-selection)")
      vim.fn.setqflist({}, "f")
      vim.api.nvim_feedkeys("19GVjgs", "mx", false)
      t.wait("the list", function()
        return quickfix().title:find("lines 19 to 20: ", 1, true)
      end)
      close_lists()
    end,
  },
  {
    "what there is not, is said",
    function()
      t.expect(t.said(function()
        vim.cmd("Costline nonsense!")
      end)[1]:find("there is no `:Costline nonsense`", 1, true))
      t.expect(t.said(function()
        vim.cmd("Costline fetch")
      end)[1]:find("there is no .costline/sources.toml", 1, true))
      vim.cmd.new()
      t.expect(t.said(function()
        vim.cmd("Costline callers")
      end)[1])
      vim.cmd("bwipeout!")
    end,
  },
})
