--- The program of the book's tutorial in a terminal, before and after its slow line is fixed. The pictures are in the book.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local terminal = dofile(vim.env.COSTLINE_SPECS .. "/terminal.lua")
local execute, wait_text = terminal.execute, terminal.wait_text

---@param name string
local function take_picture(name)
  terminal.picture(assert(vim.env.COSTLINE_PICTURE) .. "/" .. name .. ".png")
end

terminal.start(92, 31, "words.py")

t.run({
  {
    "the slow line has its cost",
    function()
      execute("set laststatus=2 ruler termguicolors noswapfile number")
      wait_text("self 94.0% (3.91 s) · total 94.0% (3.91 s)")
      wait_text("if word not in seen:  93.5%")
      take_picture("tutorial")
    end,
  },
  {
    "the fixed line shows by how much its cost fell",
    function()
      execute("silent Costline baseline profiles/before.speedscope.json")
      execute([[%s/seen = \[\]/seen = set()/ | %s/append(word)/add(word)/ | write | 1]])
      wait_text("seen.add(word)")
      vim.fn.writefile(vim.fn.readfile("after.json", "b"), "profiles/words.speedscope.json", "b")
      wait_text("if word not in seen:  3.2% total ▼3.88 s")
      wait_text("make_up(200_000)  96.8%")
      take_picture("tutorial-after")
    end,
  },
})
