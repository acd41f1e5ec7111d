--- Runs the spec COSTLINE_SPEC after Neovim has started like for a user.

vim.api.nvim_create_autocmd("VimEnter", {
  callback = vim.schedule_wrap(function()
    local fine, message =
      xpcall(dofile, debug.traceback, ("%s/%s"):format(vim.env.COSTLINE_SPECS, vim.env.COSTLINE_SPEC))
    if not fine then
      io.stderr:write(message, "\n")
      vim.cmd.cquit({ bang = true })
    end
  end),
})
