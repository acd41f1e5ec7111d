--- Two projects, and so two servers: the descriptions of functions without a source are those of the project they are opened
--- from.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")

-- `here` and `there` are in one project each, the others in both, with another cost.
local first = { root = vim.fs.dirname(t.stage.root) .. "/first", samples = { shared = 3, here = 5, built = 2 } }
local second = { root = vim.fs.dirname(t.stage.root) .. "/second", samples = { shared = 5, there = 1, built = 4 } }
for _, project in ipairs({ first, second }) do
  vim.fn.mkdir(project.root .. "/.costline", "p")
  vim.fn.writefile({ "def main():", "    work()" }, project.root .. "/app.py")
  local stacks = {}
  for name, count in pairs(project.samples) do
    local folder = name == "built" and second.root or "/usr/lib"
    table.insert(stacks, ("main (app.py:2);%s (%s/%s.c:1) %d"):format(name, folder, name, count))
  end
  vim.fn.writefile(stacks, project.root .. "/.costline/run.folded")
end

---@param project {root: string}
local function edit(project)
  vim.cmd("silent edit " .. project.root .. "/app.py")
  t.wait("hints", function()
    return t.drawn("hints")["2"]
  end)
end

--- The address of the description of a function of the project in front.
---@param name string
---@return string
local function address(name)
  local found
  require("costline.client").execute("hotspots", { vim.empty_dict() }, function(answer)
    for _, spot in ipairs(answer.functions) do
      found = spot.name == name and spot.item.uri or found
    end
  end)
  return t.wait(name, function()
    return found
  end)
end

---@param uri string
---@return string
local function description(uri)
  require("costline.places").go({ uri = uri, line0 = 0 })
  t.same(vim.api.nvim_buf_get_name(0), uri)
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

---@param uri string
---@param cost string
local function expect_cost(uri, cost)
  local text = description(uri)
  t.expect(text:find(cost, 1, true), text, cost)
end

t.run({
  {
    "each project describes its functions",
    function()
      edit(first)
      local here, shared = address("here"), address("shared")
      edit(second)
      local there = address("there")
      t.same(#vim.lsp.get_clients({ name = "costline" }), 2)
      t.same(address("shared"), shared)
      expect_cost(there, "10.0%")
      edit(first)
      expect_cost(here, "50.0%")
    end,
  },
  {
    "a function of both is described by the one it is opened from, and so is the next one",
    function()
      edit(first)
      local here, shared = address("here"), address("shared")
      expect_cost(shared, "30.0%")
      edit(second)
      local there = address("there")
      expect_cost(shared, "50.0%")
      expect_cost(there, "10.0%")
      expect_cost(shared, "50.0%")
      edit(first)
      expect_cost(here, "50.0%")
      expect_cost(shared, "30.0%")
    end,
  },
  {
    "a function that only the other project has",
    function()
      edit(second)
      local there = address("there")
      edit(first)
      expect_cost(there, "10.0%")
    end,
  },
  {
    "the project whose folder is in the address is asked first",
    function()
      edit(first)
      expect_cost(address("built"), "40.0%")
    end,
  },
  {
    "a folder with profiles is a project",
    function()
      local root = vim.fs.dirname(t.stage.root) .. "/third"
      vim.fn.mkdir(root .. "/profiles", "p")
      vim.fn.mkdir(root .. "/below", "p")
      vim.fn.writefile({ "def main():", "    work()" }, root .. "/below/tool.py")
      vim.fn.writefile({ "main (below/tool.py:2) 3" }, root .. "/profiles/run.folded")
      vim.cmd("silent edit " .. root .. "/below/tool.py")
      t.wait("hints", function()
        return t.drawn("hints")["2"]
      end)
      edit(first)
    end,
  },
  {
    "of a function that none knows, the text says so",
    function()
      edit(first)
      local text = description("costline:///gone?" .. vim.uri_encode('{"name":"gone"}', "rfc3986"))
      t.same(text, "gone\nThe current profile does not contain this function.")
    end,
  },
})
