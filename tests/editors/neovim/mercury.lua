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

tmux("new-session", "-d", "-x", "96", "-y", "45", "-e", "TERM=tmux-256color", vim.v.progpath, "queens.m")
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
      execute("call search('^queen(Data')")
      tmux("send-keys", "-t", "0", "zt", "C-y", "C-y")
      wait_row("self 0.01% (1 callseqs)", "total 99.6% (6896 callseqs)")
      wait_row("qperm(Data, Out),", "74.4%")
      wait_row("qdelete(First, List, Left),", "46.1%")
      wait_row("qperm(Left, Rest).", "28.2% + recursion")
    end,
  },
  {
    "callers are those of the clique",
    function()
      execute("call search('^qdelete(X, .X')")
      execute("silent Costline callers")
      wait_row("queens.m|40 col 1|", "46.1% queens.qperm/2-0")
      wait_row("queens.m|47 col 1|", "↻ 28.2% queens.qdelete/3-0")
      execute("wincmd p")
      execute("call search('^queen(Data', 'b')")
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
})
