--- What can be chosen for the plug-in, and the choices.

---@class costline.Options
local options = {
  ---@type string[] How the server is started.
  cmd = { "costline", "lsp" },
  ---@type string[] Files and folders that mark a project, the more telling ones first. One server runs for each project.
  root_markers = {
    ".costline",
    ".git",
    ".hg",
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "CMakeLists.txt",
  },
  ---@type table The server's settings: what its documentation lists for the section `costline`.
  settings = {},
  --- Costs at the end of lines.
  hints = true,
  --- Costs above functions.
  lenses = true,
  --- Bars in the sign column and a background for hot lines.
  heat = false,
}

return options
