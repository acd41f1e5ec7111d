--- Costs are on their lines when Neovim is started with a source that was edited before.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local source = dofile(vim.env.COSTLINE_SPECS .. "/edited.lua")

t.run({
  {
    "hints, lenses and hot spots",
    function()
      t.edit(source.file)
      source.wait_shown("edited")
    end,
  },
})
