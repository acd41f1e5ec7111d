--- The window of the quickfix list, when it shows a list of this plug-in: columns with a heading, and heat.

local M = {}

local marks = vim.api.nvim_create_namespace("costline.quickfix")

local WINBAR = "%{v:lua.require'costline.quickfix'.heading()}"

--- What this plug-in keeps in the context of a list.
---@class costline.QuickfixContext
---@field costline string the root folder of the client whose answer it shows
---@field heading string

--- What is kept of the current list, `nil` if it is of another origin.
---@return costline.QuickfixContext?
local function context()
  local found = vim.fn.getqflist({ context = 1 }).context
  return type(found) == "table" and found.costline and found or nil
end

--- The heading of the current list, for 'winbar', after as many blanks as numbers and signs have.
---@return string
function M.heading()
  local own = context()
  local before = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1].textoff
  return own and (" "):rep(before) .. own.heading or ""
end

--- The texts of the entries that a window asks for, for the option 'quickfixtextfunc' of a list.
---@param info {id: integer, start_idx: integer, end_idx: integer}
---@return string[]
function M.texts(info)
  local items = vim.fn.getqflist({ id = info.id, items = 1 }).items
  local texts = {}
  for index = info.start_idx, info.end_idx do
    table.insert(texts, items[index].text)
  end
  return texts
end

---@param bufnr integer
local function color(bufnr)
  -- The syntax of other lists has a file before the first bar.
  vim.bo[bufnr].syntax = ""
  vim.api.nvim_buf_clear_namespace(bufnr, marks, 0, -1)
  for index, item in ipairs(vim.fn.getqflist({ items = 1 }).items) do
    local line = item.user_data and item.user_data.line
    local function mark(from, to, group)
      vim.api.nvim_buf_set_extmark(bufnr, marks, index - 1, from, { end_col = to, hl_group = group })
    end
    if line then
      mark(0, line.costs, line.group)
      mark(line.name, #item.text, "CostlineHint")
    else
      mark(0, #item.text, "Title")
    end
  end
end

--- Draws the current list in its window, if it is of this plug-in, else removes what was drawn.
---@param window integer
local function draw(window)
  local bufnr = vim.api.nvim_win_get_buf(window)
  local own = context()
  if own then
    vim.wo[window][0].wrap, vim.wo[window][0].winbar = false, WINBAR
    color(bufnr)
  elseif vim.wo[window].winbar == WINBAR then
    vim.wo[window][0].wrap, vim.wo[window][0].winbar = vim.go.wrap, ""
    vim.api.nvim_buf_clear_namespace(bufnr, marks, 0, -1)
  end
end

-- Neovim fills the buffer again for each list, and then sets its file type.
vim.api.nvim_create_autocmd("FileType", {
  group = vim.api.nvim_create_augroup("costline.quickfix", {}),
  pattern = "qf",
  callback = function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      local info = vim.fn.getwininfo(window)[1]
      if info.quickfix == 1 and info.loclist == 0 then
        draw(window)
      end
    end
  end,
})

--- Opens a new list.
---@param title string
---@param items table[] what `setqflist` takes
---@param own costline.QuickfixContext
function M.open(title, items, own)
  vim.fn.setqflist({}, " ", {
    title = "costline: " .. title,
    items = items,
    context = own,
    quickfixtextfunc = "v:lua.require'costline.quickfix'.texts",
  })
  vim.cmd("botright copen")
end

return M
