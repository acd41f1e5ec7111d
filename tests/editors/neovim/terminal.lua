--- Neovim in a terminal (tmux): keys, the screen, pictures of it.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

local M = {}

-- Each terminal has its own: one that is ending refuses others.
local socket, starts = nil, 0

---@param ... string
---@return string
function M.tmux(...)
  local run = vim.system({ "tmux", "-L", socket, "-f", "/dev/null", ... }, { text = true }):wait(10000)
  t.expect(run.code == 0, { ... }, run.stderr)
  return run.stdout
end

--- Starts Neovim. It ends with this process.
---@param width integer
---@param height integer
---@param file string
---@param term? string the terminal that Neovim finds in its environment
function M.start(width, height, file, term)
  starts = starts + 1
  socket = ("costline-%d-%d"):format(vim.uv.os_getpid(), starts)
  local terminal = { "-x", tostring(width), "-y", tostring(height) }
  -- Neovim would find the colors of tmux itself.
  local clean = { "env", "-u", "COLORTERM", "-u", "TMUX", "TERM=" .. (term or "tmux-256color") }
  local command = vim.list_extend(clean, { vim.v.progpath, file })
  M.tmux("new-session", "-d", unpack(vim.list_extend(terminal, command)))
  M.tmux("set-option", "-g", "remain-on-exit", "on")
  vim.api.nvim_create_autocmd("VimLeavePre", {
    callback = function()
      vim.system({ "tmux", "-L", socket, "kill-server" }):wait(10000)
    end,
  })
end

---@param ... string
function M.keys(...)
  M.tmux("send-keys", "-t", "0", ...)
end

---@param command string of Neovim's
function M.execute(command)
  M.keys("Escape", ":" .. command, "Enter")
end

--- The rows of the terminal.
---@return string[]
function M.rows()
  return vim.split(M.tmux("capture-pane", "-t", "0", "-p"), "\n")
end

--- Ends Neovim and its terminal.
function M.stop()
  M.tmux("kill-server")
end

--- Waits until the screen has a text.
---@param text string
function M.wait_text(text)
  local function screen()
    return table.concat(M.rows(), "\n")
  end
  local is_there = vim.wait(60000, function()
    return screen():find(text, 1, true) ~= nil
  end, 50)
  t.expect(is_there, text, screen())
end

--- Resizes the terminal, and waits until Neovim knows.
---@param columns integer
---@param lines integer
function M.resize(columns, lines)
  M.tmux("resize-window", "-t", "0", "-x", tostring(columns), "-y", tostring(lines))
  local size = ("size: %dx%d"):format(columns, lines)
  local is_known = vim.wait(60000, function()
    M.execute("echo printf('size: %dx%d', &columns, &lines)")
    vim.wait(100)
    return vim.list_contains(vim.iter(M.rows()):map(vim.trim):totable(), size)
  end, 50)
  t.expect(is_known, size)
end

---@param path string
function M.picture(path)
  M.execute("")
  vim.wait(500)
  local drawn = vim
    .system(
      { vim.env.COSTLINE_SPECS .. "/../terminal-picture", path },
      { stdin = M.tmux("capture-pane", "-t", "0", "-p", "-e") }
    )
    :wait(60000)
  t.expect(drawn.code == 0, drawn.stderr)
end

return M
