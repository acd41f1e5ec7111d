--- Colors. Tiers differ in lightness and in the width of the bar, so that they can be told apart without color vision. With a
--- baseline, colors show the direction of the change instead: red for slower, blue for faster.

local M = {}

---@type table<"dark"|"light", table<string, vim.api.keyset.highlight>>
local palettes = {
  dark = {
    CostlineHeat1 = { fg = "#a1905a", ctermfg = 137 },
    CostlineHeat2 = { fg = "#d9a520", ctermfg = 178 },
    CostlineHeat3 = { fg = "#ffd75f", ctermfg = 221, bold = true },
    CostlineHeatLine1 = {},
    CostlineHeatLine2 = { bg = "#2e2813", ctermbg = 235 },
    CostlineHeatLine3 = { bg = "#4a3c0c", ctermbg = 237 },
    CostlineSlower = { fg = "#ff5f56", ctermfg = 203, bold = true },
    CostlineSlowerLine = { bg = "#3d1a18", ctermbg = 52 },
    CostlineFaster = { fg = "#5aa9ff", ctermfg = 75, bold = true },
    CostlineFasterLine = { bg = "#14283f", ctermbg = 17 },
    CostlineFlame0 = { fg = "#1c1c1c", bg = "#b3a47a", ctermfg = 234, ctermbg = 144 },
    CostlineFlame1 = { fg = "#1c1c1c", bg = "#e3c565", ctermfg = 234, ctermbg = 179 },
    CostlineFlame2 = { fg = "#1c1c1c", bg = "#f0a13c", ctermfg = 234, ctermbg = 215 },
    CostlineFlame3 = { fg = "#1c1c1c", bg = "#f47a4a", ctermfg = 234, ctermbg = 209 },
    CostlineFlameSlower = { fg = "#1c1c1c", bg = "#f08078", ctermfg = 234, ctermbg = 210 },
    CostlineFlameFaster = { fg = "#1c1c1c", bg = "#7db7f5", ctermfg = 234, ctermbg = 111 },
    CostlineFlameOther = { fg = "#d0d0d0", bg = "#444444", ctermfg = 252, ctermbg = 238 },
    CostlineFlameCursor = { fg = "#000000", bg = "#ffffff", ctermfg = 16, ctermbg = 231, bold = true },
  },
  light = {
    CostlineHeat1 = { fg = "#b08a3c", ctermfg = 136 },
    CostlineHeat2 = { fg = "#a6611a", ctermfg = 130 },
    CostlineHeat3 = { fg = "#543005", ctermfg = 52, bold = true },
    CostlineHeatLine1 = {},
    CostlineHeatLine2 = { bg = "#f6ecd2", ctermbg = 230 },
    CostlineHeatLine3 = { bg = "#ecd49a", ctermbg = 222 },
    CostlineSlower = { fg = "#b3261e", ctermfg = 124, bold = true },
    CostlineSlowerLine = { bg = "#f9dedc", ctermbg = 224 },
    CostlineFaster = { fg = "#0b57d0", ctermfg = 26, bold = true },
    CostlineFasterLine = { bg = "#d9e7fd", ctermbg = 189 },
    CostlineFlame0 = { fg = "#1c1c1c", bg = "#ece5cc", ctermfg = 234, ctermbg = 254 },
    CostlineFlame1 = { fg = "#1c1c1c", bg = "#f5dd90", ctermfg = 234, ctermbg = 222 },
    CostlineFlame2 = { fg = "#1c1c1c", bg = "#f5b567", ctermfg = 234, ctermbg = 215 },
    CostlineFlame3 = { fg = "#1c1c1c", bg = "#ee8a5c", ctermfg = 234, ctermbg = 209 },
    CostlineFlameSlower = { fg = "#1c1c1c", bg = "#f2a29b", ctermfg = 234, ctermbg = 217 },
    CostlineFlameFaster = { fg = "#1c1c1c", bg = "#9cc4f7", ctermfg = 234, ctermbg = 153 },
    CostlineFlameOther = { fg = "#303030", bg = "#c6c6c6", ctermfg = 236, ctermbg = 251 },
    CostlineFlameCursor = { fg = "#ffffff", bg = "#000000", ctermfg = 231, ctermbg = 16, bold = true },
  },
}

--- The colors of terminals that have 16, whatever the background.
---@type table<string, vim.api.keyset.highlight>
local basic = {
  CostlineHeatLine1 = {},
  CostlineHeatLine2 = {},
  CostlineHeatLine3 = { cterm = { bold = true } },
  CostlineSlowerLine = {},
  CostlineFasterLine = {},
  CostlineFlame0 = { ctermfg = 0, ctermbg = 7 },
  CostlineFlame1 = { ctermfg = 0, ctermbg = 11 },
  CostlineFlame2 = { ctermfg = 0, ctermbg = 3 },
  CostlineFlame3 = { ctermfg = 0, ctermbg = 9 },
  CostlineFlameSlower = { ctermfg = 0, ctermbg = 9 },
  CostlineFlameFaster = { ctermfg = 0, ctermbg = 12 },
  CostlineFlameOther = { ctermfg = 15, ctermbg = 8 },
}

--- The same for each background.
---@type table<"dark"|"light", table<string, vim.api.keyset.highlight>>
local basic_on = {
  dark = {
    CostlineHeat1 = { ctermfg = 3 },
    CostlineHeat2 = { ctermfg = 11 },
    CostlineHeat3 = { ctermfg = 11, cterm = { bold = true } },
    CostlineSlower = { ctermfg = 9, cterm = { bold = true } },
    CostlineFaster = { ctermfg = 12, cterm = { bold = true } },
    CostlineFlameCursor = { ctermfg = 0, ctermbg = 15, cterm = { bold = true } },
  },
  light = {
    CostlineHeat1 = { ctermfg = 11 },
    CostlineHeat2 = { ctermfg = 3 },
    CostlineHeat3 = { ctermfg = 3, cterm = { bold = true } },
    CostlineSlower = { ctermfg = 1, cterm = { bold = true } },
    CostlineFaster = { ctermfg = 4, cterm = { bold = true } },
    CostlineFlameCursor = { ctermfg = 15, ctermbg = 0, cterm = { bold = true } },
  },
}

--- The groups that this plug-in defined.
---@type table<string, vim.api.keyset.get_hl_info>
local defined = {}

---@param group string
---@return vim.api.keyset.get_hl_info
local function get(group)
  local found = vim.api.nvim_get_hl(0, { name = group })
  found.default = nil
  return found
end

--- What colors show of a cost: its heat or, with a baseline, the direction of its change.
---@param cost { tier: integer, changeTier?: integer }
---@return "Heat"|"Slower"|"Faster"
---@return integer strength 0 to 3
function M.shade(cost)
  local change = cost.changeTier
  if change == nil then
    return "Heat", cost.tier
  elseif change == vim.NIL then
    return "Slower", 0
  end
  return change > 0 and "Slower" or "Faster", math.abs(change)
end

--- The group of the bar of a cost.
---@param cost { tier: integer, changeTier?: integer }
---@return string
function M.bar(cost)
  local shade, strength = M.shade(cost)
  if strength == 0 then
    return "CostlineHint"
  end
  return shade == "Heat" and "CostlineHeat" .. strength or "Costline" .. shade
end

--- The number of colors of the terminal.
---@return integer
local function color_count()
  local screen = vim.api.nvim_list_uis()[1]
  return screen and screen.term_colors or 256
end

--- As comments, which have no color in terminals if the color scheme is the default one.
---@return vim.api.keyset.highlight
local function subdued()
  local comment = vim.api.nvim_get_hl(0, { name = "Comment", link = false })
  if comment.ctermfg or next(comment) == nil then
    return { link = "Comment" }
  end
  local gray, cyan = vim.o.background == "dark" and 248 or 240, 6
  comment.ctermfg = color_count() < 256 and cyan or gray
  return comment
end

--- Defines the groups that neither the user nor the color scheme defines.
function M.define()
  local groups = vim.tbl_extend("error", {}, palettes[vim.o.background])
  if color_count() < 256 then
    for group, colors in pairs(vim.tbl_extend("error", basic, basic_on[vim.o.background])) do
      local gui = groups[group]
      groups[group] = vim.tbl_extend("error", { fg = gui.fg, bg = gui.bg, bold = gui.bold }, colors)
    end
  end
  groups.CostlineHint, groups.CostlineLens = subdued(), subdued()
  for group, colors in pairs(groups) do
    -- A default would keep the group of the other background.
    local is_ours = vim.deep_equal(defined[group], get(group))
    vim.api.nvim_set_hl(0, group, vim.tbl_extend("force", colors, { default = not is_ours }))
    defined[group] = get(group)
  end
end

return M
