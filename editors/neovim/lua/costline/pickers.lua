--- Lists in the picker plug-in that is installed: snacks.nvim, telescope.nvim or fzf-lua.

local client = require("costline.client")
local options = require("costline.options")
local places = require("costline.places")

local M = {}

--- A row of a list.
---@class costline.Picked
---@field text string
---@field bufnr integer
---@field lnum integer 1-based
---@field file? string its path, if it is in a file

---@param picked costline.Picked
local function go(picked)
  local uri = picked.file and vim.uri_from_fname(picked.file) or vim.uri_from_bufnr(picked.bufnr)
  places.go({ uri = uri, line0 = picked.lnum - 1 })
end

---@param title string
---@param rows costline.Picked[]
local function in_snacks(title, rows)
  local items = vim.tbl_map(function(picked)
    return { text = picked.text, file = picked.file, buf = picked.bufnr, pos = { picked.lnum, 0 }, picked = picked }
  end, rows)
  require("snacks").picker.pick({
    title = title,
    items = items,
    format = function(item)
      return { { item.text } }
    end,
    preview = "file",
    confirm = function(picker, item)
      picker:close()
      if item then
        go(item.picked)
      end
    end,
  })
end

---@param title string
---@param rows costline.Picked[]
local function in_telescope(title, rows)
  local config = require("telescope.config").values
  local actions, state = require("telescope.actions"), require("telescope.actions.state")
  local finder = require("telescope.finders").new_table({
    results = rows,
    entry_maker = function(picked)
      local entry = { value = picked, display = picked.text, ordinal = picked.text, lnum = picked.lnum, col = 1 }
      entry.filename, entry.bufnr = picked.file, not picked.file and picked.bufnr or nil
      return entry
    end,
  })
  local function attach(prompt)
    actions.select_default:replace(function()
      local entry = state.get_selected_entry()
      actions.close(prompt)
      if entry then
        go(entry.value)
      end
    end)
    return true
  end
  require("telescope.pickers")
    .new({}, {
      prompt_title = title,
      finder = finder,
      sorter = config.generic_sorter({}),
      previewer = config.qflist_previewer({}),
      attach_mappings = attach,
    })
    :find()
end

---@param title string
---@param rows costline.Picked[]
local function in_fzf(title, rows)
  -- The number of the row is before its text, and is not shown.
  local lines = {}
  for index, picked in ipairs(rows) do
    lines[index] = ("%d\t%s"):format(index, picked.text)
  end
  ---@param line string
  ---@return costline.Picked
  local function of_line(line)
    return rows[tonumber(line:match("^%d+"))]
  end
  local Previewer = require("fzf-lua.previewer.builtin").buffer_or_file:extend()
  function Previewer:new(...)
    Previewer.super.new(self, ...)
    return setmetatable(self, Previewer)
  end
  function Previewer:parse_entry(line)
    local picked = of_line(line)
    local path = picked.file or vim.api.nvim_buf_get_name(picked.bufnr)
    return { path = path, bufnr = not picked.file and picked.bufnr or nil, line = picked.lnum, col = 1 }
  end
  require("fzf-lua").fzf_exec(lines, {
    winopts = { title = (" %s "):format(title) },
    previewer = Previewer,
    fzf_opts = { ["--delimiter"] = "\t", ["--with-nth"] = "2..", ["--no-sort"] = true },
    actions = {
      default = function(selected)
        if selected[1] then
          go(of_line(selected[1]))
        end
      end,
    },
  })
end

--- The pickers, in order of precedence.
---@type {name: string, module: string, show: fun(title: string, rows: costline.Picked[])}[]
local pickers = {
  { name = "snacks", module = "snacks", show = in_snacks },
  { name = "telescope", module = "telescope", show = in_telescope },
  { name = "fzf-lua", module = "fzf-lua", show = in_fzf },
}

---@return {name: string, show: fun(title: string, rows: costline.Picked[])}?
local function chosen()
  for _, picker in ipairs(pickers) do
    local is_wanted = options.picker == "auto" or options.picker == picker.name
    if is_wanted and pcall(require, picker.module) then
      return picker
    end
  end
  if options.picker ~= "auto" and options.picker ~= "quickfix" then
    client.notify(("the picker `%s` is not installed: expected snacks, telescope or fzf-lua"):format(options.picker))
  end
end

--- For how many cells the columns of pickers are aligned. They show the source beside.
M.WIDTH = 60

--- Shows rows of a quickfix list in the picker that is installed or chosen. Rows without a place are left out.
---@param title string
---@param heading string of the columns, which pickers show in their title
---@param rows table[] what `setqflist` takes
---@return boolean shown
function M.show(title, heading, rows)
  local picker = chosen()
  local picked = {}
  for _, row in ipairs(rows) do
    if row.bufnr then
      local file = not row.module and vim.api.nvim_buf_get_name(row.bufnr) or nil
      table.insert(picked, { text = row.text, bufnr = row.bufnr, lnum = row.lnum, file = file })
    end
  end
  if not picker or #picked == 0 then
    return false
  end
  picker.show(("%s: %s"):format(vim.trim(heading:gsub("%s+", " ")), title), picked)
  return true
end

return M
