--- Costs stay on their lines when the source is edited, saved, closed, touched, and changed by Git.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local source = dofile(vim.env.COSTLINE_SPECS .. "/edited.lua")

---@param ... string
local function git(...)
  local output = vim.fn.system({ "git", ... })
  t.expect(vim.v.shell_error == 0, output)
  vim.cmd("silent checktime")
end

local function reopen()
  vim.cmd("silent bwipeout")
  t.edit(source.file)
end

local function touch()
  local now = os.time()
  assert(vim.uv.fs_utime(t.stage.root .. "/" .. source.file, now, now))
  vim.cmd("silent checktime")
end

t.run({
  {
    "edited, saved and opened again",
    function()
      t.edit(source.file)
      source.wait_shown("recorded")
      touch()
      source.wait_shown("recorded")
      source.edit()
      source.wait_shown("edited")
      vim.cmd("silent write")
      source.wait_shown("edited")
      reopen()
      source.wait_shown("edited")
    end,
  },
  {
    "touched",
    function()
      touch()
      source.wait_shown("edited")
      reopen()
      source.wait_shown("edited")
    end,
  },
  {
    "stashed by Git",
    function()
      git("stash", "--quiet")
      source.wait_shown("recorded")
      git("stash", "pop", "--quiet")
      source.wait_shown("edited")
    end,
  },
  {
    "on another branch",
    function()
      git("checkout", "--quiet", "-b", "topic")
      git("commit", "--quiet", "--all", "--message", "edited")
      git("checkout", "--quiet", "main")
      source.wait_shown("recorded")
      reopen()
      source.wait_shown("recorded")
      git("checkout", "--quiet", "topic")
      source.wait_shown("edited")
    end,
  },
  {
    "after a restart of the server",
    function()
      local before = source.client().id
      vim.cmd("Costline restart")
      t.wait("another server", function()
        return source.client() and source.client().id ~= before
      end)
      source.wait_shown("edited")
    end,
  },
})
