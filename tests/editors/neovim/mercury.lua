--- A Mercury program in a terminal: hints at call sites, lenses of procedures, callers. The picture is in the book.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

local socket = "costline-" .. vim.uv.os_getpid()

---@param ... string
---@return string
local function tmux(...)
  local run = vim.system({ "tmux", "-L", socket, "-f", "/dev/null", ... }, { text = true }):wait(10000)
  t.expect(run.code == 0, { ... }, run.stderr)
  return run.stdout
end

---@param command string of Neovim's
local function execute(command)
  tmux("send-keys", "-t", "0", "Escape", ":" .. command, "Enter")
end

---@return string
local function screen()
  return tmux("capture-pane", "-t", "0", "-p")
end

--- Waits until a row has two texts, in this order.
---@param first string
---@param second string
local function wait_row(first, second)
  local is_there = vim.wait(60000, function()
    for _, row in ipairs(vim.split(screen(), "\n")) do
      local _, to = row:find(first, 1, true)
      if to and row:find(second, to, true) then
        return true
      end
    end
    return false
  end, 50)
  t.expect(is_there, first, second, screen())
end

tmux("new-session", "-d", "-x", "96", "-y", "45", "-e", "TERM=tmux-256color", vim.v.progpath, "change.m")
tmux("set-option", "-g", "remain-on-exit", "on")

vim.api.nvim_create_autocmd("VimLeavePre", {
  callback = function()
    vim.system({ "tmux", "-L", socket, "kill-server" }):wait(10000)
  end,
})

t.run({
  {
    "call sites have hints, procedures have lenses",
    function()
      execute("set laststatus=2 ruler termguicolors noswapfile")
      execute("call search('^main(!IO)')")
      tmux("send-keys", "-t", "0", "zt", "C-y", "C-y")
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
      wait_row("change.m|12 col 1|", "66.5% change.main/2-0")
      wait_row("change.m|27 col 1|", "↻ 22.2% change.payments/5-0")
      wait_row("change.m|39 col 1|", "↻ 22.2% change.pay_with/6-0")
      execute("wincmd p")
      execute("silent Costline callers site")
      wait_row("change.m|39 col 1|", "↻ 22.2% (1354 callseqs) change.pay_with/6-0 · 1354 calls")
      execute("wincmd p")
      execute("silent Costline callers")
      wait_row("change.m|12 col 1|", "66.5% change.main/2-0")
      execute("wincmd p")
      execute("call search('^main(!IO)', 'b')")
      tmux("send-keys", "-t", "0", "zt", "C-y", "C-y")
      execute("")
      vim.wait(500)
      local drawn = vim
        .system(
          { vim.env.COSTLINE_SPECS .. "/../terminal-picture", vim.env.COSTLINE_PICTURE },
          { stdin = tmux("capture-pane", "-t", "0", "-p", "-e") }
        )
        :wait(60000)
      t.expect(drawn.code == 0, drawn.stderr)
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
