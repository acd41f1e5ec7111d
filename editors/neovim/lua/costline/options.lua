--- The options of the plug-in and their values.

---@class costline.Options
local options = {
  ---@type string[] The command that starts the server.
  cmd = { "costline", "lsp" },
  ---@type string[] Files and folders that mark the root of a project, in order of precedence. Each project has one server.
  root_markers = vim.iter({ ".costline", require("costline.project_markers"), "profiles" }):flatten():totable(),
  ---@type table The settings of the server.
  settings = {},
  --- Whether to draw hints: costs at the ends of lines.
  hints = true,
  ---@type "end"|"right" Where hints are: two blanks after the end of the line, or at the right edge of the window.
  hint_position = "end",
  --- Whether to draw lenses: costs above functions.
  lenses = true,
  --- Whether to draw heat: bars in the sign column and a background for hot lines.
  heat = true,
  ---@type string Where hot spots are listed: "snacks", "telescope", "fzf-lua", "quickfix", or "auto": the first of these that is installed.
  picker = "auto",
}

return options
