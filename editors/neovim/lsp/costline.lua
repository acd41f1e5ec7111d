-- What `vim.lsp.enable("costline")` starts; `vim.lsp.config("costline", …)` changes it.
return require("costline.server").config()
