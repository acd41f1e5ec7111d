--- `:Costline fetch`: the sources that it lists, what it asks and runs, and the comparison that it shows.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

local folder = t.stage.root .. "/.costline"

t.run({
  {
    "nothing runs if the user does not agree",
    function()
      t.edit("main.py")
      t.wait_shown("main.py", "before")
      local listed
      vim.ui.select = function(items, options, choose)
        listed = vim.tbl_map(options.format_item, items)
        choose(items[1])
      end
      local asked = t.confirm(2)
      vim.cmd("Costline fetch")
      t.wait("a question", function()
        return #asked == 1
      end)
      t.expect(#listed == 1 and listed[1]:find("^fleet  pyroscope  http://127.0.0.1:%d+$"), listed)
      t.expect(asked[1]:find("costline fetch fleet", 1, true), asked)
      t.same(#vim.api.nvim_tabpage_list_wins(0), 1)
      t.same(vim.fn.readdir(folder), { "sources.toml" })
    end,
  },
  {
    "the names of sources are completed",
    function()
      t.same(vim.fn.getcompletion("Costline fetch ", "cmdline"), { "fleet" })
    end,
  },
  {
    "the command runs in a terminal, and the total change is shown",
    function()
      local asked = t.confirm(1)
      vim.cmd("Costline fetch fleet")
      t.wait("a comparison", function()
        return require("costline").status():find("→", 1, true)
      end)
      t.same(#asked, 1)
      t.same(#vim.api.nvim_tabpage_list_wins(0), 2)
      local status = require("costline").status()
      t.expect(status:find("fleet.pb.gz", 1, true), status)
      t.wait("changes of lines", function()
        return vim.iter(vim.tbl_values(t.drawn("hints"))):any(function(hint)
          return hint:find("▼", 1, true)
        end)
      end)
      t.same(vim.fn.readdir(folder), { "fleet-baseline.pb.gz", "fleet.pb.gz", "sources.toml" })
    end,
  },
  {
    "a source that does not exist is named",
    function()
      local messages = t.said(function()
        vim.cmd("Costline fetch flet")
        t.wait("an answer", function()
          return true
        end)
        vim.wait(2000, function()
          return false
        end)
      end)
      t.expect(messages[1] and messages[1]:find("has no source flet", 1, true), messages)
    end,
  },
})
