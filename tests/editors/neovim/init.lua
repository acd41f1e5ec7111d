-- The configuration of the user for the screen tests.

vim.o.number = true
vim.o.termguicolors = true
vim.o.laststatus = 0
vim.o.ruler = false
vim.o.swapfile = false
vim.opt.shortmess:append("I")
vim.lsp.inlay_hint.enable()

-- A server that answers later than Costline, with one hint.
vim.api.nvim_create_autocmd("FileType", {
  pattern = "python",
  callback = function()
    vim.lsp.start({
      name = "other",
      root_dir = vim.uv.cwd(),
      cmd = function()
        local asked = 0
        return {
          request = function(method, _, callback)
            local answer = vim.NIL
            if method == "initialize" then
              answer = { capabilities = { inlayHintProvider = true, textDocumentSync = 1 } }
            elseif method == "textDocument/inlayHint" then
              answer = { { position = { line = 0, character = 3 }, label = ": later" } }
            end
            vim.defer_fn(function()
              callback(nil, answer)
            end, method == "initialize" and 0 or 300)
            asked = asked + 1
            return true, asked
          end,
          notify = function()
            return true
          end,
          is_closing = function()
            return false
          end,
          terminate = function() end,
        }
      end,
    })
  end,
})
