--- `:checkhealth costline`.

local client = require("costline.client")
local messages = require("costline.messages")
local options = require("costline.options")
local server = require("costline.server")

local M = {}

---@return string? version
local function check_server()
  vim.health.start("Server")
  local command = options.cmd[1]
  if vim.fn.executable(command) == 0 then
    vim.health.error(("%s cannot be run"):format(command), {
      "Install it, in a clone of its repository: cargo install --locked --path server",
      'Or set its path: require("costline").setup({ cmd = { "/path/to/costline", "lsp" } })',
    })
    return
  end
  local path = vim.fn.exepath(command)
  local run = vim.system({ command, "--version" }, { text = true }):wait(5000)
  if run.code ~= 0 then
    vim.health.error(("%s --version %s"):format(path, server.described(run)))
  else
    vim.health.ok(("%s (%s)"):format(path, vim.trim(run.stdout)))
  end
end

---@param it vim.lsp.Client
local function check_client(it)
  local buffers = vim.tbl_count(it.attached_buffers)
  vim.health.ok(
    ("runs for %s with %d %s"):format(
      it.root_dir or "files without a project",
      buffers,
      buffers == 1 and "file" or "files"
    )
  )
  local view = client.view(it)
  local report = { error = vim.health.error, warning = vim.health.warn, info = vim.health.info }
  for _, entry in ipairs(view and view.health or {}) do
    local fix = type(entry.fix) == "table" and { (":Costline fix: %s"):format(entry.fix.title) } or nil
    report[entry.severity](entry.message, fix)
  end
  local profile = view and view.profile
  if type(profile) ~= "table" then
    vim.health.warn("no profile is loaded", {
      "Costline searches the folder of the project for the file names that profilers use, and its folders `profiles` and `.costline`",
      ":Costline profile PATH shows another profile",
      ":Costline explain gives the reason for a line",
    })
    return
  end
  vim.health.ok(("shows %s (%s, %s)"):format(profile.path, profile.format, view.metric))
end

function M.check()
  vim.health.start("Neovim")
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.10") == 1 then
    vim.health.ok(version)
  else
    vim.health.error(("%s: 0.10 or newer is needed"):format(version))
    return
  end
  if not vim.g.loaded_costline then
    vim.health.error(
      "plugin/costline.lua was not loaded",
      { "The folder editors/neovim must be on 'runtimepath' before Neovim loads plug-ins" }
    )
  end

  check_server()

  vim.health.start("Projects")
  local clients = client.all()
  for _, it in ipairs(clients) do
    check_client(it)
  end
  if server.failure then
    vim.health.error(server.failure, { ":Costline log shows all of its messages", ":Costline restart starts it again" })
  elseif #clients == 0 then
    vim.health.warn(
      "no server is running",
      { "Open a file; files without a 'filetype' start no server", ":Costline log shows errors" }
    )
  end

  if messages.last_cut then
    vim.health.info("last long message: " .. messages.last_cut)
  end

  vim.health.start("Display")
  for _, what in ipairs({ "hints", "lenses", "heat" }) do
    vim.health.info(("%s: %s (:Costline toggle %s)"):format(what, options[what] and "on" or "off", what))
  end
  for _, what in ipairs({ "hints", "lenses" }) do
    if options[what] and vim.tbl_get(options.settings, what, "enable") == false then
      vim.health.warn(("the server's setting `%s.enable` is false"):format(what))
    end
  end
end

return M
