--- The screen: starts Neovim in a terminal (tmux), and reads the screen before and after the profile is rewritten.
--- Another server, whose hints arrive later, runs beside Costline.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local terminal = dofile(vim.env.COSTLINE_SPECS .. "/terminal.lua")
local tmux, keys, execute, rows, wait_text =
  terminal.tmux, terminal.keys, terminal.execute, terminal.rows, terminal.wait_text

local config = vim.fn.stdpath("config")
-- Large enough for the file with its lenses, and a list.
local WIDTH, HEIGHT = 110, 100

---@class costline.Screen
---@field hints table<string, string> by line
---@field lenses table<string, {self: string, total: string}> by function
---@field other string[] rows that are neither code nor lens

---@return costline.Screen
local function screen()
  local found = { hints = {}, lenses = {}, other = {} }
  local lens
  for _, row in ipairs(rows()) do
    -- The sign column.
    row = row:gsub("^█", ""):gsub("^▌", ""):gsub("^▏", "")
    local number, code = row:match("^%s*(%d+) (.*)$")
    if number then
      found.hints[number] = code:gsub(" total$", ""):match("(~?%d+%.%d%%)$")
      local name = code:match("def ([%w_]+)%(")
      if lens and name then
        found.lenses[name] = lens
      end
      lens = nil
    elseif row:match("^~") then
      break
    elseif row:match("self %S+ .* total %S+") then
      lens = { self = row:match("self (%S+)"), total = row:match("total (%S+)") }
    elseif not row:match("^%s+%d+$") then
      table.insert(found.other, row)
    end
  end
  return found
end

--- Waits until the screen has exactly the costs of a recording.
---@param recording "before"|"after"
local function wait_seen(recording)
  local costs = t.stage[recording]
  local expected = { hints = costs.lines["main.py"], lenses = costs.functions["main.py"], other = {} }
  t.wait_same("the screen " .. recording, expected, function()
    local found = screen()
    -- The costs of the module include functions without a name.
    for name in pairs(found.lenses) do
      if not expected.lenses[name] then
        found.lenses[name] = nil
      end
    end
    return found
  end)
end

--- The hint of the other server is shown as well.
local function wait_other()
  wait_text('""": laterGrid world')
end

--- A picture of code with heat above a list of hot spots, for the documentation.
---@param path string
local function take_picture(path)
  terminal.resize(96, 32)
  execute("set nonumber laststatus=2 ruler")
  execute("edit grid/maze.py")
  execute("call search('def build')")
  keys("zt")
  wait_text("carve((0, 0))  " .. t.stage.before.lines["grid/maze.py"]["31"])
  keys("C-y", "C-y", "w")
  execute("silent Costline hotspots")
  wait_text("Quickfix List")
  keys("C-w", "p")
  terminal.picture(path)
  execute("cclose")
  execute("edit main.py")
  execute("set number noruler laststatus=0")
  terminal.resize(WIDTH, HEIGHT)
end

--- A picture of code beside the call tree, above the flame graph.
---@param path string
local function take_picture_of_windows(path)
  terminal.resize(150, 44)
  execute("set nonumber laststatus=2 ruler")
  execute("edit grid/maze.py")
  execute("call search('def build')")
  keys("zt")
  execute("silent Costline tree")
  wait_text("▸ <module>  main.py:7")
  keys("Enter")
  wait_text("▸ main  main.py:57")
  keys("j", "Enter")
  wait_text("▸ solve_all  main.py:16")
  keys("j", "Enter")
  wait_text("▸ build  maze.py:16")
  execute("wincmd p")
  execute("silent Costline flamegraph")
  wait_text("▏solve_all")
  keys("j", "j", "j")
  wait_text("solve_all  58.3%")
  terminal.picture(path)
  keys("q")
  execute("wincmd l")
  keys("q")
  execute("edit main.py")
  execute("set number noruler laststatus=0")
  terminal.resize(WIDTH, HEIGHT)
end

vim.fn.mkdir(config, "p")
vim.fn.writefile(vim.fn.readfile(vim.env.COSTLINE_SPECS .. "/init.lua"), config .. "/init.lua")
terminal.start(WIDTH, HEIGHT, "main.py")

local messages = config .. "/messages"
t.run({
  {
    "costs are beside the code",
    function()
      wait_seen("before")
      wait_other()
    end,
  },
  {
    "a killed server comes back with its numbers",
    function()
      local pid = tonumber((tmux("display-message", "-p", "-t", "0", "#{pane_pid}")))
      vim.uv.kill(assert(t.server_below(assert(pid))), 9)
      t.wait("another server", function()
        return t.server_below(pid)
      end)
      keys("Escape", ":", "Escape")
      wait_seen("before")
    end,
  },
  {
    "pictures",
    function()
      local path = assert(vim.env.COSTLINE_PICTURE)
      take_picture(path)
      wait_seen("before")
      take_picture_of_windows((path:gsub("%.png$", "-windows.png")))
      wait_seen("before")
    end,
  },
  {
    "after a rewrite the new numbers are there, without a key",
    function()
      t.rewrite()
      wait_seen("after")
      wait_other()
      vim.wait(1000)
      wait_seen("after")
    end,
  },
  {
    "there are no error messages",
    function()
      execute(("call writefile(split(execute('messages'), '\\n'), '%s')"):format(messages))
      local text = t.wait("the messages", function()
        return vim.uv.fs_stat(messages) and table.concat(vim.fn.readfile(messages), "\n")
      end)
      t.expect(not text:find("E%d+:") and not text:find("Error"), text)
    end,
  },
})
