--- Colors in terminals (tmux) of 256 and of 16 colors with Neovim's own color scheme, and where hints are.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local terminal = dofile(vim.env.COSTLINE_SPECS .. "/terminal.lua")

local WIDTH, HEIGHT = 80, 24
-- A hot line of `build`.
local CODE = "carve((0, 0))"
local total = t.stage.before.lines["grid/maze.py"]["31"]

--- Describes a terminal like tmux's, but with 16 colors, to Neovim.
---@return string name
local function define_basic()
  local described = vim.system({ "infocmp", "-x", "tmux-256color" }, { text = true }):wait(10000)
  t.expect(described.code == 0, described.stderr)
  local foreground = [[setaf=\E[%?%p1%{8}%<%t3%p1%d%e9%p1%{8}%-%d%;m,]]
  local text = described.stdout
    :gsub("tmux%-256color|[^\n]*", "basic-16color|sixteen colors,")
    :gsub("colors#0x100", "colors#16")
    :gsub("setaf=[^,]*,", (foreground:gsub("%%", "%%%%")))
    :gsub("setab=[^,]*,", (foreground:gsub("setaf", "setab"):gsub("t3", "t4"):gsub("e9", "e10"):gsub("%%", "%%%%")))
  local source = vim.fn.tempname()
  vim.fn.writefile(vim.split(text, "\n"), source)
  local made = vim.system({ "tic", "-x", "-o", vim.env.HOME .. "/.terminfo", source }, { text = true }):wait(10000)
  t.expect(made.code == 0, made.stderr)
  return "basic-16color"
end

--- The row of the hot line, with the codes of colors, once it has its hint.
---@return string
local function hot_row()
  local found
  t.wait("the hint", function()
    local screen = vim.split(terminal.tmux("capture-pane", "-t", "0", "-p", "-e"), "\n")
    found = vim.iter(screen):find(function(row)
      return row:find(CODE, 1, true) and row:find(total, 1, true)
    end)
    return found
  end)
  return found
end

--- Checks that the hint has a color of its own, after two blanks.
---@param code string of the color of the hint
---@param bar string of the color of the bar
local function check(code, bar)
  terminal.execute("set noswapfile notermguicolors")
  terminal.execute("call cursor(31, 1) | normal! zt")
  local row = hot_row()
  local before = row:sub(1, row:find(total, 1, true) - 1)
  -- The last code before the text is that of its color; a cell has one in addition if its line is marked.
  t.expect(before:match("\27%[([%d;]*)m[^\27]*$"):find(code, 1, true), row, code)
  t.expect(row:match("^(.-)█"):find(bar, 1, true), row, bar)
  t.expect(vim.iter(terminal.rows()):any(function(plain)
    return vim.endswith(plain, ("%s  %s"):format(CODE, total))
  end), terminal.rows())
  terminal.stop()
end

t.run({
  {
    "256 colors",
    function()
      terminal.start(WIDTH, HEIGHT, "grid/maze.py")
      check("38;5;248", "38;5;221")
    end,
  },
  {
    "16 colors",
    function()
      terminal.start(WIDTH, HEIGHT, "grid/maze.py", define_basic())
      check("36", "93")
    end,
  },
  {
    "hints at the right edge",
    function()
      terminal.start(WIDTH, HEIGHT, "grid/maze.py")
      terminal.execute("set noswapfile")
      terminal.execute("lua require('costline').setup({ hint_position = 'right' })")
      terminal.execute("call cursor(31, 1) | normal! zt")
      hot_row()
      t.wait("the hint at the edge", function()
        return vim.iter(terminal.rows()):any(function(row)
          return row:find(CODE, 1, true) and vim.endswith(row, total) and vim.fn.strdisplaywidth(row) == WIDTH
        end)
      end)
    end,
  },
})
