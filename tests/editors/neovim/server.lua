--- The server's life cycle: killed, stopped, restarted; `:checkhealth`, the log.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

---@return vim.lsp.Client?
local function client()
  return vim.lsp.get_clients({ name = "costline", bufnr = 0 })[1]
end

---@return integer?
local function process()
  return t.server_below(vim.uv.os_getpid())
end

---@param signal integer
local function kill_and_wait(signal)
  local before = assert(client()).id
  assert(vim.uv.kill(assert(process()), signal))
  t.wait("another server", function()
    return client() and client().id ~= before
  end)
end

local function restart()
  local before = assert(client()).id
  vim.cmd("Costline restart")
  t.wait("another server", function()
    return client() and client().id ~= before
  end)
end

--- Restarts the server with a command that ends.
local function restart_without_server()
  vim.cmd("Costline restart")
  t.wait("the end of the server", function()
    return not client()
  end)
end

local function wait_absolute()
  t.wait("absolute hints", function()
    return (t.drawn("hints")["74"] or ""):find("samples", 1, true)
  end)
end

---@return string
local function health()
  vim.cmd("silent checkhealth costline")
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  vim.cmd("silent only! | silent buffer main.py")
  return text
end

t.run({
  {
    "killed, it is started again, and hints come back",
    function()
      t.edit("grid/maze.py")
      t.wait_shown("grid/maze.py", "before")
      t.edit("main.py")
      t.wait_shown("main.py", "before")
      kill_and_wait(9)
      t.wait_shown("main.py", "before")
      kill_and_wait(15)
      t.wait_shown("main.py", "before")
      vim.cmd.buffer("maze.py")
      t.wait_shown("grid/maze.py", "before")
      vim.cmd.buffer("main.py")
      t.same(#vim.lsp.get_clients({ name = "costline" }), 1)
    end,
  },
  {
    "the next server shows what was chosen",
    function()
      vim.cmd("Costline view unit absolute")
      wait_absolute()
      kill_and_wait(9)
      wait_absolute()
      vim.cmd("Costline! view unit")
      t.wait_shown("main.py", "before")
    end,
  },
  {
    ":Costline restart",
    function()
      restart()
      t.wait_shown("main.py", "before")
    end,
  },
  {
    ":Costline restart, if the server does not answer",
    function()
      local rpc = assert(client()).rpc
      local request = rpc.request
      rpc.request = function(method, ...)
        if method == "shutdown" then
          return true, 1000000
        end
        return request(method, ...)
      end
      restart()
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "the next server has the settings of now",
    function()
      local costline = require("costline")
      costline.configure({ unit = "absolute" })
      wait_absolute()
      restart()
      wait_absolute()
      kill_and_wait(9)
      wait_absolute()
      -- Not those that were removed.
      costline.setup({ settings = {} })
      t.wait_shown("main.py", "before")
      kill_and_wait(9)
      t.wait_shown("main.py", "before")
      restart()
      t.wait_shown("main.py", "before")
      t.same(client().settings, { costline = {} })
    end,
  },
  {
    "settings of `vim.lsp.config()` stay, below those of the options",
    function()
      if not vim.lsp.config then
        return
      end
      local costline = require("costline")
      vim.lsp.config("costline", { settings = { costline = { unit = "absolute" } } })
      kill_and_wait(9)
      wait_absolute()
      costline.configure({ unit = "percent" })
      t.wait_shown("main.py", "before")
      restart()
      t.wait_shown("main.py", "before")
      vim.lsp.config("costline", { settings = { costline = { unit = "percent" } } })
      costline.setup({ settings = {} })
    end,
  },
  {
    "health",
    function()
      local text = health()
      t.expect(text:find(tostring(vim.version()), 1, true), text)
      t.expect(text:find("costline %(costline %d"), text)
      t.expect(text:find(("runs for %s with 2 files"):format(t.stage.root), 1, true), text)
      t.expect(text:find(("shows %s ("):format(t.stage.profile), 1, true), text)
      t.expect(text:find("hints: on", 1, true) and text:find("heat: on", 1, true), text)
      t.expect(not text:find("WARNING", 1, true) and not text:find("ERROR", 1, true), text)
    end,
  },
  {
    "stopped by the user, it stays so",
    function()
      local it = assert(client())
      if vim.fn.has("nvim-0.11") == 1 then
        it:stop()
      else
        it.stop()
      end
      t.wait("the end of the server", function()
        return not client()
      end)
      vim.wait(1000)
      t.same(client(), nil)
      t.same(t.drawn("hints"), {})
      t.same(t.drawn("lenses"), {})
      t.same(require("costline").status(), "")
      t.expect(health():find("no server is running", 1, true))
      vim.cmd("Costline restart")
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "health of what cannot run",
    function()
      local options = require("costline.options")
      local command = options.cmd
      options.cmd = { "no-such-costline", "lsp" }
      local text = health()
      options.cmd = command
      t.expect(text:find("ERROR no-such-costline cannot be run", 1, true), text)
      t.expect(text:find("cargo install --locked --path server", 1, true), text)
    end,
  },
  {
    "a server that ends during its start says why",
    function()
      local options = require("costline.options")
      local command = options.cmd
      options.cmd = { "sh", "-c", "echo no such server >&2; exit 3" }
      local why = "no such server; the server sh -c echo no such server >&2; exit 3 ended with status 3"
      local said = t.said(restart_without_server)
      t.expect(#said == 1 and vim.startswith(said[1], "costline: no such server; the server "), said)
      t.expect(vim.endswith(said[1], "… (:checkhealth costline)"), said)
      local text = health()
      t.expect(text:find(why, 1, true) and not text:find("no server is running", 1, true), text)
      options.cmd = { "/bin/false", "lsp" }
      t.expect(health():find("/bin/false --version ended with status 1\n", 1, true))
      options.cmd = command
      vim.cmd("Costline restart")
      t.wait_shown("main.py", "before")
      t.expect(not health():find("ERROR", 1, true))
    end,
  },
  {
    "a server that crashes repeatedly is not restarted, with a message",
    function()
      t.said(function(messages)
        t.wait("the end of all attempts", function()
          local it = client()
          local pid = it and it.initialized and process()
          if it and pid then
            vim.uv.kill(pid, 9)
            t.wait("its end", function()
              return not vim.lsp.get_client_by_id(it.id)
            end)
          end
          return table.concat(messages):find("keeps crashing", 1, true)
        end)
      end)
      vim.wait(500)
      t.same(client(), nil)
      vim.cmd("Costline restart")
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "the log",
    function()
      vim.cmd("silent Costline log")
      t.expect(vim.api.nvim_buf_get_name(0):find("lsp.log$"))
    end,
  },
})
