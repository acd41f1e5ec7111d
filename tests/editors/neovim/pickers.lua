--- Hot spots in the picker plug-ins of `$COSTLINE_PICKERS`, in a terminal (tmux).

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local terminal = dofile(vim.env.COSTLINE_SPECS .. "/terminal.lua")

local config = vim.fn.stdpath("config")
vim.fn.mkdir(config, "p")
local settings = { "vim.o.swapfile = false", "vim.o.laststatus = 2", "vim.o.statusline = '%f|%l|'" }
for name in vim.fs.dir(assert(vim.env.COSTLINE_PICKERS)) do
  table.insert(settings, ("vim.opt.runtimepath:append(%q)"):format(vim.env.COSTLINE_PICKERS .. "/" .. name))
end
vim.fn.writefile(settings, config .. "/init.lua")

---@return string
local function screen()
  return table.concat(terminal.rows(), "\n")
end

--- Opens hot spots in a picker, and goes to `solve` from it.
---@param name string
local function check(name)
  terminal.execute("silent edit main.py")
  terminal.wait_text("main.py|")
  terminal.execute(("lua require('costline').setup({ picker = '%s' })"):format(name))
  terminal.execute("silent Costline hotspots")
  local cost = t.stage.before.functions["grid/maze.py"]["solve"]
  terminal.wait_text(("%s %s  solve "):format(cost.self, cost.total))
  -- Functions without a file have no URI.
  terminal.wait_text("shuffle  random.py:376  Random")
  t.expect(not screen():find("costline:///", 1, true), screen())
  terminal.keys("-l", "solve maze")
  t.wait("the only match", function()
    return not screen():find("neighbours +maze.py:8")
  end)
  vim.wait(300)
  terminal.keys("Enter")
  terminal.wait_text("grid/maze.py|53|")
  terminal.keys("Escape")
end

terminal.start(180, 50, "main.py")
t.run({
  {
    "snacks.nvim",
    function()
      terminal.wait_text("% total")
      check("snacks")
    end,
  },
  {
    "telescope.nvim",
    function()
      check("telescope")
    end,
  },
  {
    "fzf-lua",
    function()
      check("fzf-lua")
    end,
  },
  {
    "the quickfix list",
    function()
      terminal.execute("silent Costline! hotspots")
      terminal.wait_text("costline: hottest functions")
    end,
  },
})
