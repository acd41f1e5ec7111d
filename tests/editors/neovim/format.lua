--- A project with nothing but its sources and a profile under the name that its profiler gives: the costs of
--- the hottest file are on the right lines at once.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local expected = vim.json.decode(vim.env.COSTLINE_EXPECTED)

t.run({
  {
    "the costs of lines are those that the profiler's own tool finds",
    function()
      vim.cmd.edit(expected.file)
      t.wait_same("hints", expected.lines, function()
        local hints, found = t.drawn("hints"), {}
        for line in pairs(expected.lines) do
          found[line] = (hints[line] or ""):match("[%d.]+%%")
        end
        return found
      end)
    end,
  },
})
