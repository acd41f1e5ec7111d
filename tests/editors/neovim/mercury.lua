--- A Mercury program in a terminal: hints at call sites, lenses of procedures, callers. The picture is in the book.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local terminal = dofile(vim.env.COSTLINE_SPECS .. "/terminal.lua")
local execute, keys, rows = terminal.execute, terminal.keys, terminal.rows

--- Waits until a row has two texts, in this order.
---@param first string
---@param second string
local function wait_row(first, second)
  local is_there = vim.wait(60000, function()
    for _, row in ipairs(rows()) do
      local _, to = row:find(first, 1, true)
      if to and row:find(second, to, true) then
        return true
      end
    end
    return false
  end, 50)
  t.expect(is_there, first, second, rows())
end

terminal.start(96, 45, "change.m")

t.run({
  {
    "call sites have hints, procedures have lenses",
    function()
      execute("set laststatus=2 ruler termguicolors noswapfile")
      execute("call search('^main(!IO)')")
      keys("zt", "C-y", "C-y")
      wait_row("self 44.4% (2709 callseqs)", "total 44.4% (2709 callseqs)")
      wait_row("payments(60,", "66.5%")
      wait_row("write_sizes(All, !IO)", "33.4%")
      wait_row("pay_with(Coin, Amount, Coins, Used, !All),", "22.2% + recursion")
    end,
  },
  {
    "callers are those of the clique",
    function()
      execute("call search('^payments(Amount')")
      execute("silent Costline callers")
      wait_row("66.5%  main/2-0 ", "change.m:12  change  payments(60,")
      wait_row("22.2%  ↻ payments/5-0 ", "change.m:27")
      wait_row("22.2%  ↻ pay_with/6-0 ", "change.m:39")
      execute("wincmd p")
      execute("silent Costline callers site")
      wait_row("total calls", "")
      wait_row("22.2%  1354  ↻ change.pay_with/6-0 ", "change.m:39")
      execute("wincmd p")
      execute("silent Costline callers")
      wait_row("66.5%  main/2-0 ", "change.m:12")
      execute("wincmd p")
      execute("call search('^main(!IO)', 'b')")
      keys("zt", "C-y", "C-y")
      terminal.picture(vim.env.COSTLINE_PICTURE)
    end,
  },
  {
    "lines show how often they were executed",
    function()
      execute("silent Costline view show counts")
      wait_row('io.write_string("cannot be paid\\n", !IO)', "never executed")
      wait_row("( if Amount = 0 then", "2709×")
      wait_row("!:All = [Used | !.All]", "73×")
    end,
  },
})
