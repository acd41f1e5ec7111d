--- Hints, lenses and heat beside the code: toggled, and after edits and rewrites.

local t = dofile(vim.env.COSTLINE_SPECS .. "/support.lua")
local costline = require("costline")

---@return vim.lsp.Client
local function client()
  return vim.lsp.get_clients({ name = "costline", bufnr = 0 })[1]
end

---@param method string
---@param params table
---@return any
local function ask(method, params)
  local it = client()
  params.textDocument = vim.lsp.util.make_text_document_params(0)
  local answer = vim.fn.has("nvim-0.11") == 1 and it:request_sync(method, params, 10000)
    or it.request_sync(method, params, 10000, 0)
  return answer.result
end

---@return table<string, string> bars by line
local function bars()
  local namespace = vim.api.nvim_create_namespace("costline.hints")
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })) do
    if mark[4].sign_text then
      found[tostring(mark[2] + 1)] = vim.trim(mark[4].sign_text)
      t.expect(mark[4].line_hl_group:find("^CostlineHeatLine%d$"), mark)
    end
  end
  return found
end

--- Bars by the rule: a fifth of the total is hottest, a twentieth hot, a hundredth warm.
---@param lines table<string, string>
local function expected_bars(lines)
  return vim.tbl_map(function(percent)
    local share = tonumber((percent:gsub("%%", "")))
    return share >= 20 and "█" or share >= 5 and "▌" or share >= 1 and "▏" or nil
  end, lines)
end

local changes = 0
vim.api.nvim_create_autocmd("User", {
  pattern = "CostlineChanged",
  callback = function(args)
    changes = changes + 1
    t.expect(args.data.loading ~= nil, args)
  end,
})

t.run({
  {
    "hints and lenses have the numbers of the profile",
    function()
      t.edit("main.py")
      t.wait_shown("main.py", "before")
      t.edit("grid/maze.py")
      t.wait_shown("grid/maze.py", "before")
      t.edit("main.py")
      t.same(#vim.lsp.get_clients({ name = "costline" }), 1)
    end,
  },
  {
    "one server for a project, none for special buffers",
    function()
      vim.cmd.help()
      vim.cmd.new()
      vim.bo.buftype, vim.bo.filetype = "nofile", "lua"
      vim.cmd("new | setfiletype python")
      vim.wait(200)
      t.same(#vim.lsp.get_clients({ name = "costline" }), 1)
      t.same(vim.tbl_count(client() and client().attached_buffers or {}), 0)
      vim.cmd("silent only! | silent buffer main.py")
    end,
  },
  {
    "Neovim's own hints stay as the user has them",
    function()
      t.same(vim.lsp.inlay_hint.is_enabled({ bufnr = 0 }), false)
      vim.lsp.inlay_hint.enable(true, { bufnr = 0 })
      vim.wait(200)
      t.same(vim.lsp.inlay_hint.get({ bufnr = 0 }), {})
      vim.lsp.inlay_hint.enable(false, { bufnr = 0 })
    end,
  },
  {
    "status line",
    function()
      t.wait("the status", function()
        return costline.status():find("^gridworld%.folded · 1395 samples · ")
      end)
      t.expect(changes > 0)
    end,
  },
  {
    "toggle",
    function()
      vim.cmd("Costline toggle hints")
      t.wait_same("no hints", {}, function()
        return t.drawn("hints")
      end)
      t.expect(next(t.drawn("lenses")))
      costline.toggle("lenses", false)
      t.wait_same("no lenses", {}, function()
        return t.drawn("lenses")
      end)
      costline.toggle("hints")
      costline.toggle("lenses")
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "heat",
    function()
      local expected = expected_bars(t.stage.before.lines["main.py"])
      t.expect(vim.tbl_contains(vim.tbl_values(expected), "▏") and vim.tbl_contains(vim.tbl_values(expected), "▌"))
      t.wait_same("bars", expected, bars)
      for tier = 1, 3 do
        t.expect(next(vim.api.nvim_get_hl(0, { name = "CostlineHeat" .. tier })), tier)
      end
      local dark = vim.api.nvim_get_hl(0, { name = "CostlineHeat3" })
      vim.o.background = "light"
      local light = vim.api.nvim_get_hl(0, { name = "CostlineHeat3" })
      t.expect(dark.fg ~= light.fg, dark, light)
      vim.o.background = "dark"
      vim.cmd("Costline toggle heat")
      t.wait_same("no bars", {}, bars)
      costline.toggle("heat")
      t.wait_same("bars again", expected, bars)
    end,
  },
  {
    "next and previous hot line, also after another server ended",
    function()
      local function other()
        return {
          request = function(method, _, callback)
            vim.schedule(function()
              callback(nil, method == "initialize" and { capabilities = {} } or vim.NIL)
            end)
            return true, 1
          end,
          notify = function()
            return true
          end,
          is_closing = function()
            return false
          end,
          terminate = function() end,
        }
      end
      local id = assert(vim.lsp.start({ name = "other", cmd = other }))
      t.wait("the other server", function()
        return #vim.lsp.get_clients({ name = "other", bufnr = 0 }) == 1
      end)
      vim.lsp.buf_detach_client(0, id)
      -- The self costs of the lines of the project, from the recorded stacks.
      -- What each line of the project costs with the libraries that it calls.
      local costs, hot = {}, {}
      for _, stack in ipairs(vim.fn.readfile(t.stage.profile)) do
        local innermost
        for file, line in stack:gmatch("%(([^()]*):(%d+)%)") do
          if vim.uv.fs_stat(("%s/%s"):format(t.stage.root, file)) then
            innermost = ("%s:%s"):format(file, line)
          end
        end
        if innermost then
          if not costs[innermost] then
            table.insert(hot, innermost)
          end
          costs[innermost] = (costs[innermost] or 0) + tonumber(stack:match("%d+$"))
        end
      end
      table.sort(hot, function(a, b)
        return costs[a] > costs[b]
      end)
      local function here()
        local name = vim.api.nvim_buf_get_name(0):sub(#t.stage.root + 2)
        return ("%s:%d"):format(name, vim.api.nvim_win_get_cursor(0)[1])
      end
      vim.api.nvim_win_set_cursor(0, { 1, 0 })
      -- The second is in another file.
      t.expect(not vim.startswith(hot[2], "main.py:"), hot)
      local echo, said = vim.api.nvim_echo, nil
      vim.api.nvim_echo = function(chunks)
        said = chunks[1][1]
      end
      for rank = 1, 4 do
        vim.cmd("Costline next")
        t.wait_same("hot line " .. rank, hot[rank], here)
        t.expect(vim.startswith(said, ("Hot line %d of "):format(rank)), said)
        -- Neovim would wait for a key.
        t.expect(vim.fn.strdisplaywidth(said) <= vim.v.echospace, said)
      end
      vim.api.nvim_echo = echo
      costline.prev()
      t.wait_same("the hot line before", hot[3], here)
      t.edit("main.py")
      t.wait_shown("main.py", "before")
      local hints = vim.tbl_map(tonumber, vim.tbl_keys(t.drawn("hints")))
      table.sort(hints)
      vim.api.nvim_win_set_cursor(0, { hints[1], 0 })
      vim.cmd("Costline! next")
      t.same(here(), "main.py:" .. hints[2])
      costline.prev({ any = true })
      t.same(here(), "main.py:" .. hints[1])
    end,
  },
  {
    "settings switch hints, lenses and hover at once",
    function()
      local position = { position = { line = t.line_of("main") - 1, character = 5 } }
      t.expect(ask("textDocument/hover", position) ~= nil)
      costline.configure({ hints = { enable = false }, lenses = { enable = false }, hover = { enable = false } })
      t.wait_same("no hints", {}, function()
        return t.drawn("hints")
      end)
      t.wait_same("no lenses", {}, function()
        return t.drawn("lenses")
      end)
      local hover = ask("textDocument/hover", position)
      t.expect(hover == nil or hover == vim.NIL, hover)
      costline.configure({ hints = { enable = true }, lenses = { enable = true }, hover = { enable = true } })
      t.wait_shown("main.py", "before")
      t.expect(ask("textDocument/hover", position) ~= nil)
    end,
  },
  {
    "setup names what it does not know",
    function()
      local said = t.said(function()
        costline.setup({ hint = false, heat = "yes" })
      end)
      t.same(said, { "costline: setup: `heat` is a string, expected a bo… (:Costline info)" })
      local whole = "costline: setup: `heat` is a string, expected a boolean; there is no option `hint`"
      t.same(require("costline.messages").last_cut, whole)
    end,
  },
  {
    "labels go with their lines, and an edited line has none",
    function()
      vim.api.nvim_buf_set_lines(0, 0, 0, false, { "# above", "" })
      local moved = {}
      for line, percent in pairs(t.stage.before.lines["main.py"]) do
        moved[tostring(tonumber(line) + 2)] = percent
      end
      t.wait_same("moved hints", moved, function()
        return t.drawn("hints")
      end)
      vim.wait(500)
      t.same(t.drawn("hints"), moved)
      local line = t.line_of("main") + 2
      while not moved[tostring(line)] do
        line = line + 1
      end
      vim.api.nvim_buf_set_lines(0, line - 1, line, false, { "    something_else()" })
      moved[tostring(line)] = nil
      t.wait_same("no hint on the edited line", moved, function()
        return t.drawn("hints")
      end)
      vim.cmd("silent undo | silent undo")
      vim.cmd("silent edit!")
      t.wait_shown("main.py", "before")
    end,
  },
  {
    "a rewritten profile is shown",
    function()
      local before = changes
      t.rewrite()
      t.wait_shown("main.py", "after")
      t.expect(changes > before)
      t.edit("grid/maze.py")
      t.wait_shown("grid/maze.py", "after")
    end,
  },
})
