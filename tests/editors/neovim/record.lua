--- `:Costline record`: what it asks, what it runs, and the costs of the new profile.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

local profile = t.stage.root .. "/profile.speedscope.json"

t.run({
  {
    "a program that cannot be run leaves no window",
    function()
      t.edit("main.py")
      local terminal = require("costline.terminal")
      local command = { program = "no-such-program", arguments = {} }
      t.same(terminal.run(terminal.window(), command, t.stage.root, function() end), false)
      t.same(#vim.api.nvim_list_wins(), 1)
    end,
  },
  {
    "nothing runs if the user does not agree",
    function()
      t.edit("main.py")
      t.wait_shown("main.py", "before")
      local asked = t.confirm(2)
      vim.cmd("Costline record")
      t.wait("a question", function()
        return #asked == 1
      end)
      t.expect(asked[1]:find("Record main.py with py-spy? In " .. t.stage.root, 1, true), asked)
      t.expect(asked[1]:find("-o profile.speedscope.json -- python3 main.py", 1, true), asked)
      t.same(#vim.api.nvim_tabpage_list_wins(0), 1)
    end,
  },
  {
    "the commands run in a terminal, and the new costs are shown",
    function()
      t.confirm(1)
      vim.cmd("Costline record")
      t.wait("the profile", function()
        return vim.uv.fs_stat(profile)
      end)
      t.same(#vim.api.nvim_tabpage_list_wins(0), 2)
      t.same(vim.fs.basename(vim.api.nvim_buf_get_name(0)), "main.py")
      t.wait_shown("main.py", "after")
    end,
  },
  {
    "a file without a program has nothing to record",
    function()
      vim.cmd.only()
      t.edit("grid/report.py")
      local messages = t.said(function()
        vim.cmd("Costline record")
        t.wait("an answer", function()
          return true
        end)
      end)
      t.expect(messages[1]:find("no program", 1, true), messages)
    end,
  },
})
