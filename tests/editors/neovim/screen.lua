--- The screen: starts Neovim in a terminal (tmux), and reads the screen before and after the profile is rewritten.
--- Another server, whose hints arrive later, runs beside Costline.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

local socket = "costline-" .. vim.uv.os_getpid()
local config = vim.fn.stdpath("config")
-- Large enough for the file with its lenses, and a list.
local WIDTH, HEIGHT = 110, 100

---@param ... string
---@return string
local function tmux(...)
  local run = vim.system({ "tmux", "-L", socket, "-f", "/dev/null", ... }, { text = true }):wait(10000)
  t.expect(run.code == 0, { ... }, run.stderr)
  return run.stdout
end

---@param ... string
local function keys(...)
  tmux("send-keys", "-t", "0", ...)
end

---@param command string of Neovim's
local function execute(command)
  keys("Escape", ":" .. command, "Enter")
end

---@return string[]
--- The rows of the terminal.
local function rows()
  return vim.split(tmux("capture-pane", "-t", "0", "-p"), "\n")
end

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

---@param text string
local function wait_text(text)
  t.wait(text, function()
    return table.concat(rows(), "\n"):find(text, 1, true)
  end)
end

--- The hint of the other server is shown as well.
local function wait_other()
  wait_text('""": laterGrid world')
end

--- A picture of code with heat above a list of hot spots, for the documentation.
---@param path string
local function take_picture(path)
  tmux("resize-window", "-t", "0", "-x", "96", "-y", "32")
  execute("set nonumber laststatus=2 ruler")
  execute("edit grid/maze.py")
  execute("call search('def build')")
  keys("zt")
  wait_text("carve((0, 0)) " .. t.stage.before.lines["grid/maze.py"]["31"])
  keys("C-y", "C-y", "w")
  execute("silent Costline hotspots")
  wait_text("Quickfix List")
  keys("C-w", "p")
  execute("")
  vim.wait(500)
  local drawn = vim
    .system(
      { vim.env.COSTLINE_SPECS .. "/../terminal-picture", path },
      { stdin = tmux("capture-pane", "-t", "0", "-p", "-e") }
    )
    :wait(60000)
  t.expect(drawn.code == 0, drawn.stderr)
  execute("cclose")
  execute("edit main.py")
  execute("set number noruler laststatus=0")
  tmux("resize-window", "-t", "0", "-x", tostring(WIDTH), "-y", tostring(HEIGHT))
end

vim.fn.mkdir(config, "p")
vim.fn.writefile(vim.fn.readfile(vim.env.COSTLINE_SPECS .. "/init.lua"), config .. "/init.lua")
tmux(
  "new-session",
  "-d",
  "-x",
  tostring(WIDTH),
  "-y",
  tostring(HEIGHT),
  "-e",
  "TERM=tmux-256color",
  vim.v.progpath,
  "main.py"
)
tmux("set-option", "-g", "remain-on-exit", "on")

vim.api.nvim_create_autocmd("VimLeavePre", {
  callback = function()
    vim.system({ "tmux", "-L", socket, "kill-server" }):wait(10000)
  end,
})

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
    "a picture",
    function()
      take_picture(assert(vim.env.COSTLINE_PICTURE))
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
