--- Two projects, and so two servers: descriptions of functions without a source, windows and lists are those of the project
--- they are opened from.

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

--- Waits until a line of the current buffer contains a text, and moves the cursor there.
---@param text string
local function wait_line(text)
  t.wait(text, function()
    return vim.fn.search(text, "cw") > 0
  end)
end

local function shown_lines()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
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
    "each project has its own call tree and flame graph, which name it",
    function()
      for _, command in ipairs({ "tree inverted", "flamegraph" }) do
        edit(first)
        local code = vim.api.nvim_get_current_win()
        vim.cmd("Costline " .. command)
        wait_line("here")
        local window, of_first = vim.api.nvim_get_current_win(), shown_lines()
        t.expect((of_first .. vim.wo.winbar):find("first: run.folded", 1, true), of_first, vim.wo.winbar)
        vim.api.nvim_set_current_win(code)
        edit(second)
        vim.cmd("Costline " .. command)
        wait_line("there")
        t.expect((shown_lines() .. vim.wo.winbar):find("second: run.folded", 1, true), vim.wo.winbar)
        vim.api.nvim_set_current_win(code)
        edit(first)
        vim.cmd("Costline " .. command)
        t.same(vim.api.nvim_get_current_win(), window)
        t.same(shown_lines(), of_first)
        vim.api.nvim_set_current_win(code)
        vim.cmd("silent only")
      end
    end,
  },
  {
    "a list asks the project that it is about",
    function()
      edit(first)
      vim.cmd("Costline hotspots")
      wait_line("  here  ")
      vim.cmd.wincmd("p")
      edit(second)
      vim.cmd.wincmd("p")
      vim.cmd("Costline callers")
      wait_line("50.0%  main  app.py:")
      t.expect(vim.fn.getqflist({ title = 1 }).title:find("callers of here · first: run.folded", 1, true))
      vim.cmd("Costline transform push drop-function:here")
      t.wait("the transform of the first project", function()
        return vim.fn.execute("messages"):find("drop-function:here", 1, true)
      end)
      vim.cmd("Costline transform pop")
      vim.cmd("silent cclose")
    end,
  },
  {
    "a file in no project, until it is in one",
    function()
      local root = vim.fs.dirname(t.stage.root) .. "/fourth"
      vim.fn.mkdir(root)
      vim.fn.writefile({ "def main():", "    work()" }, root .. "/app.py")
      vim.cmd("silent edit " .. root .. "/app.py")
      t.wait("a server", function()
        return vim.lsp.get_clients({ name = "costline", bufnr = 0 })[1]
      end)
      local said = t.said(function()
        vim.cmd("Costline hotspots")
      end)
      t.expect(said[1]:find("in no project; create a", 1, true), said)
      vim.fn.mkdir(root .. "/profiles")
      vim.fn.writefile({ "main (app.py:2) 3" }, root .. "/profiles/run.folded")
      edit({ root = root })
      t.same(t.drawn("hints"), { ["2"] = "100.0%" })
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
