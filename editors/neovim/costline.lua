-- Costline in Neovim 0.11 and newer. Save as `plugin/costline.lua` in your configuration; `costline` must be on the PATH.

vim.lsp.config("costline", {
  cmd = { "costline", "lsp" },
  -- No `filetypes`: profiles are of any language.
  root_markers = { ".git", "Cargo.toml", "package.json", "pyproject.toml", "go.mod", "CMakeLists.txt" },
  settings = { costline = {} },
  handlers = {
    -- Neovim 0.11 asks for new hints but may keep the old ones on the screen, and knows no refresh of lenses.
    ["workspace/inlayHint/refresh"] = function(_, _, ctx)
      for bufnr in pairs(vim.lsp.get_client_by_id(ctx.client_id).attached_buffers) do
        if vim.lsp.inlay_hint.is_enabled({ bufnr = bufnr }) then
          vim.lsp.inlay_hint.enable(false, { bufnr = bufnr })
          vim.lsp.inlay_hint.enable(true, { bufnr = bufnr })
        end
        if not vim.lsp.codelens.enable then
          vim.lsp.codelens.refresh({ bufnr = bufnr })
        end
      end
      return vim.NIL
    end,
  },
})

vim.api.nvim_create_autocmd("LspAttach", {
  group = vim.api.nvim_create_augroup("costline", {}),
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if not client or client.name ~= "costline" then
      return
    end
    vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
    if vim.lsp.codelens.enable then -- 0.12
      vim.lsp.codelens.enable(true, { bufnr = event.buf })
    else
      local refresh = function()
        vim.lsp.codelens.refresh({ bufnr = event.buf })
      end
      refresh()
      vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "TextChanged" }, { buffer = event.buf, callback = refresh })
    end
  end,
})

-- Why does this line show what it shows?
vim.api.nvim_create_user_command("CostlineExplain", function()
  local client = vim.lsp.get_clients({ bufnr = 0, name = "costline" })[1]
  if not client then
    return vim.notify("costline is not attached to this buffer", vim.log.levels.WARN)
  end
  local argument = { uri = vim.uri_from_bufnr(0), line = vim.api.nvim_win_get_cursor(0)[1] - 1 }
  client:request("workspace/executeCommand", { command = "costline.explain", arguments = { argument } }, function(err, answer)
    vim.notify(err and err.message or answer.message)
  end)
end, {})

vim.lsp.enable("costline")
