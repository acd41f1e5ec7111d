--- Messages in a terminal of 80 columns (tmux): each fits in its last row, and Neovim waits for no key.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local terminal = dofile(vim.env.COSTLINE_SPECS .. "/terminal.lua")
local execute, keys = terminal.execute, terminal.keys

local WIDTH, HEIGHT = 80, 24
local root = t.stage.root

--- Waits for a message in the last row, below the line of the status.
---@param start string what it begins with
---@param finish string what it ends with
local function wait_message(start, finish)
  local function found()
    local rows = terminal.rows()
    local last = rows[HEIGHT]
    local is_whole = vim.startswith(last, start) and vim.endswith(last, finish)
    return is_whole and vim.startswith(rows[HEIGHT - 1], "STATUS")
  end
  local is_there = vim.wait(60000, found, 50)
  t.expect(is_there, start, terminal.rows())
end

---@param file string
---@param text string
local function write(file, text)
  vim.fn.writefile(vim.split(text, "\n"), vim.fs.joinpath(root, file))
end

--- The text of the floating window that a command opens, without line breaks.
---@param command string
---@param text string which it has
local function wait_float(command, text)
  execute("silent " .. command)
  local is_there = vim.wait(60000, function()
    return table.concat(vim.tbl_map(vim.trim, terminal.rows()), " "):find(text, 1, true) ~= nil
  end, 50)
  t.expect(is_there, text, terminal.rows())
  keys("Escape", "C-w", "o")
end

terminal.start(WIDTH, HEIGHT, "main.py")
t.run({
  {
    "a hot line in another file",
    function()
      execute("set noswapfile laststatus=2 statusline=STATUS")
      terminal.wait_text("% total")
      execute("Costline next")
      wait_message("Hot line 1 of ", "…")
      execute("Costline next")
      wait_message("Hot line 2 of ", "…")
    end,
  },
  {
    "a profile that cannot be read, by its path in the project",
    function()
      write("profiles/broken-run.cpuprofile", '{"nodes":[{"id":1,"callFrame":{"functionName":"f",')
      wait_message("costline: profiles/broken-run.cpuprofile: b", "… (:Costline fix)")
      wait_float("Costline info", "broken-run.cpuprofile: byte ")
      wait_float("Costline info", "Fix: ")
    end,
  },
  {
    "several problems at once",
    function()
      write("profiles/moved.folded", "carve (/build/x/other/maze.py:28) 60\n")
      write("profiles/another.cpuprofile", "{")
      wait_message("costline: 2 problems: ", "… (:Costline info)")
    end,
  },
  {
    "a profile that does not exist, at a long path",
    function()
      execute("Costline profile /a/very/long/path/to/a/profile/that/somebody/else/has/written/out.folded")
      wait_message("costline: /a/very/long/path/to/a/profile/", "… (:Costline info)")
      execute("Costline! profile")
      wait_message("costline: Profile: ", ".folded")
    end,
  },
  {
    "a view that is refused",
    function()
      execute("Costline transform push focus-function:a_function_that_no_profile_of_this_program_has_in_it")
      wait_message("costline: no function is called `a_function_", "… (:Costline info)")
      wait_float("Costline info", "that_no_profile_of_this_program_has_in_it")
    end,
  },
  {
    "a file of another profiler",
    function()
      write("profiles/coz.profile", "startup\ttime=1\nruntime\ttime=1\n")
      execute("Costline profile profiles/coz.profile")
      wait_message("costline: profiles/coz.profile: this is a coz", "… (:Costline info)")
      wait_float("Costline info", "which Costline does not read")
    end,
  },
  {
    "options and words that do not exist",
    function()
      execute("lua require('costline').setup({ hint = false, heat = 'yes', lenses = 1 })")
      wait_message("costline: setup: `heat` is a string", "… (:Costline info)")
      execute("Costline hotspots lnies")
      wait_message("costline: there is no `lnies`; expected functions", "… (:Costline info)")
    end,
  },
})
