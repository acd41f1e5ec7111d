--- The program of the book's tutorial in a terminal, before and after its slow line is fixed. The pictures are in the book.

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

--- Waits until a row of the screen has a text.
---@param text string
local function wait_text(text)
  local function screen()
    return tmux("capture-pane", "-t", "0", "-p")
  end
  local is_there = vim.wait(60000, function()
    return screen():find(text, 1, true) ~= nil
  end, 50)
  t.expect(is_there, text, screen())
end

---@param name string
local function take_picture(name)
  execute("")
  vim.wait(500)
  local path = assert(vim.env.COSTLINE_PICTURE) .. "/" .. name .. ".png"
  local drawn = vim
    .system(
      { vim.env.COSTLINE_SPECS .. "/../terminal-picture", path },
      { stdin = tmux("capture-pane", "-t", "0", "-p", "-e") }
    )
    :wait(60000)
  t.expect(drawn.code == 0, drawn.stderr)
end

tmux("new-session", "-d", "-x", "92", "-y", "31", "-e", "TERM=tmux-256color", vim.v.progpath, "words.py")
tmux("set-option", "-g", "remain-on-exit", "on")

vim.api.nvim_create_autocmd("VimLeavePre", {
  callback = function()
    vim.system({ "tmux", "-L", socket, "kill-server" }):wait(10000)
  end,
})

t.run({
  {
    "the slow line has its cost",
    function()
      execute("set laststatus=2 ruler termguicolors noswapfile number")
      wait_text("self 94.0% (3.91 s) · total 94.0% (3.91 s)")
      wait_text("if word not in seen: 93.5%")
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
      wait_text("if word not in seen: 3.2% total ▼3.88 s")
      wait_text("make_up(200_000) 96.8%")
      take_picture("tutorial-after")
    end,
  },
})
