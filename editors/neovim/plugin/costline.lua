-- Starts the server for all files and defines `:Costline`. The modules in `lua/costline/` are loaded when they are needed.

if vim.g.loaded_costline then
  return
end
vim.g.loaded_costline = true

if vim.fn.has("nvim-0.10") == 0 then
  vim.notify("costline: Neovim 0.10 or newer is needed", vim.log.levels.WARN)
  return
end

local group = vim.api.nvim_create_augroup("costline", {})

---@param event string|string[]
---@param options vim.api.keyset.create_autocmd
local function on(event, options)
  options.group = group
  vim.api.nvim_create_autocmd(event, options)
end

on("LspDetach", {
  callback = function(args)
    require("costline.draw").clear(args.buf, args.data.client_id)
  end,
})
-- Neovim opens a document again when a buffer is read again, for example after `git checkout`.
on("LspNotify", {
  callback = function(args)
    if vim.list_contains({ "textDocument/didOpen", "textDocument/didChange" }, args.data.method) then
      require("costline.draw").update(vim.uri_to_bufnr(args.data.params.textDocument.uri))
    end
  end,
})
on("BufReadCmd", {
  pattern = "costline://*",
  callback = function(args)
    require("costline.document").read(args.buf, args.match)
  end,
})
-- The number of colors may be known only then.
on({ "ColorScheme", "UIEnter" }, {
  callback = function()
    require("costline.highlight").define()
  end,
})
on("OptionSet", {
  pattern = "background",
  callback = function()
    require("costline.highlight").define()
  end,
})
require("costline.highlight").define()

vim.api.nvim_create_user_command("Costline", function(command)
  require("costline.command").run(command)
end, {
  desc = "Show costs from a profile",
  nargs = "*",
  bang = true,
  range = true,
  complete = function(word, line)
    return require("costline.command").complete(word, line)
  end,
})

for _, name in ipairs({
  "annotate",
  "callees",
  "callers",
  "explain",
  "fix",
  "flamegraph",
  "hotspots",
  "info",
  "line",
  "next",
  "prev",
  "record",
  "reload",
  "tree",
}) do
  vim.keymap.set("n", ("<Plug>(costline-%s)"):format(name), ("<Cmd>Costline %s<CR>"):format(name))
end
vim.keymap.set("n", "<Plug>(costline-menu)", "<Cmd>Costline<CR>")
for _, name in ipairs({ "annotate", "callers", "selection" }) do
  vim.keymap.set("x", ("<Plug>(costline-%s)"):format(name), (":Costline %s<CR>"):format(name), { silent = true })
end

require("costline.problems")
require("costline.server").enable()
