--- What is wrong with what is shown, or not default about it: as messages and in the status line, and the fix of each.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local costline = require("costline")

local root = t.stage.root

---@param file string
---@param text string
local function write(file, text)
  vim.fn.writefile(vim.split(text, "\n"), vim.fs.joinpath(root, file))
end

--- Sets the time of a file in the workspace to now, or to long ago.
---@param file string
---@param seconds? number
local function touch(file, seconds)
  local time = seconds or os.time()
  assert(vim.uv.fs_utime(vim.fs.joinpath(root, file), time, time))
end

--- Waits until the status line has, or has not, a text.
---@param text string
---@param is_absent? boolean
local function wait_status(text, is_absent)
  t.wait(("status with%s %q"):format(is_absent and "out" or "", text), function()
    return (costline.status():find(text, 1, true) == nil) == (is_absent or false)
  end)
end

--- Waits for a message with these texts, or whose whole text has them, while `change` takes effect.
---@param change fun()
---@param ... string
local function wait_message(change, ...)
  local texts, messages, notify = { ... }, {}, vim.notify
  vim.notify = function(message)
    t.expect(vim.fn.strdisplaywidth(message) <= vim.v.echospace, message)
    table.insert(messages, ("%s\n%s"):format(message, require("costline.messages").last_cut or ""))
  end
  change()
  t.wait(table.concat(texts, ", "), function()
    return vim.iter(messages):any(function(message)
      return vim.iter(texts):all(function(text)
        return message:find(text, 1, true)
      end)
    end)
  end)
  vim.notify = notify
end

--- Runs the fix with this title, which is asked for if there are several.
---@param title string
local function fix(title)
  local client = require("costline.client")
  local is_there = vim.iter(client.shown(assert(client.current())).health):any(function(entry)
    return type(entry.fix) == "table" and entry.fix.title == title
  end)
  t.expect(is_there, title)
  t.answer({ title })
  vim.cmd("Costline fix")
end

---@param choices table
local function set_view(choices)
  require("costline.client").execute("setView", { choices }, function() end)
end

t.edit("grid/maze.py")

t.run({
  {
    "a profile that cannot be read",
    function()
      t.wait_shown("grid/maze.py", "before")
      wait_message(function()
        write("broken.cpuprofile", '{"nodes":[{"id":1,"callFrame":{"functionName":"f",')
      end, "broken.cpuprofile", " (:Costline fix)")
      wait_status("· warning")
      vim.fn.delete(vim.fs.joinpath(root, "broken.cpuprofile"))
      fix("Read it again")
      wait_status("warning", true)
    end,
  },
  {
    "files that are not found by their recorded names",
    function()
      wait_message(function()
        write("profiles/moved.folded", "carve (/build/x/other/maze.py:28) 60\n")
      end, "/build/x/other/maze.py", " (:Costline fix)")
      wait_status("· warning")
      fix("Map /build/x/other to grid")
      wait_status("warning", true)
      t.wait_same("costs", { ["28"] = "100.0%" }, function()
        return t.drawn("hints")
      end)
      vim.fn.delete(vim.fs.joinpath(root, "profiles/moved.folded"))
      touch("profiles/gridworld.folded")
      t.wait_shown("grid/maze.py", "before")
    end,
  },
  {
    "a baseline without a metric of the profile",
    function()
      local speedscope = {
        ["$schema"] = "https://www.speedscope.app/file-format-schema.json",
        shared = { frames = { { name = "main", file = "main.py", line = 13 } } },
        profiles = {
          {
            type = "sampled",
            name = "main",
            unit = "seconds",
            startValue = 0,
            endValue = 1,
            weights = { 0.5, 0.5 },
            samples = { { 0 }, { 0 } },
          },
        },
      }
      write("base.speedscope.json", vim.json.encode(speedscope))
      touch("base.speedscope.json", 1e9)
      wait_message(function()
        costline.configure({ baseline = "base.speedscope.json" })
      end, "cannot be compared", " (:Costline fix)")
      wait_status("· warning")
      fix("Stop comparing")
      wait_status("warning", true)
      -- Chosen again, it is a new problem. The end of the old one is noticed after a second.
      vim.wait(1500)
      wait_message(function()
        set_view({ baseline = root .. "/base.speedscope.json" })
      end, "cannot be compared")
      fix("Stop comparing")
      wait_status("warning", true)
    end,
  },
  {
    "a setting that is ignored",
    function()
      wait_message(function()
        costline.setup({ settings = { minpercent = 3 } })
      end, "minpercent")
      wait_status("· warning")
      costline.setup({ settings = {} })
      wait_status("warning", true)
    end,
  },
  {
    "a comparison",
    function()
      set_view({ baseline = true })
      touch("../next.folded")
      t.rewrite()
      wait_status("1395 samples → 903 samples −35%")
      t.wait("the function that is faster", function()
        return (t.drawn("lenses")[tostring(t.line_of("build"))] or ""):find("▼", 1, true)
      end)
      fix("Stop comparing")
      wait_status("→", true)
      t.wait_shown("grid/maze.py", "after")
    end,
  },
  {
    "a view that is not the default",
    function()
      set_view({ own = true })
      wait_status("own code")
      fix("Reset to the settings")
      wait_status("own code", true)
    end,
  },
  {
    "a setting that names no file",
    function()
      wait_message(function()
        costline.configure({ profile = "out/gone.folded" })
      end, "out/gone.folded does not exist", " (:Costline fix)")
      wait_status("error")
      fix("Show gridworld.folded")
      wait_status("error", true)
      t.wait_shown("grid/maze.py", "after")
    end,
  },
})
