--- Runs commands in a terminal.

local M = {}

--- Opens a window below the code, which keeps the cursor.
---@return integer window
function M.window()
  local code = vim.api.nvim_get_current_win()
  vim.cmd("botright new")
  local window = vim.api.nvim_get_current_win()
  vim.api.nvim_set_current_win(code)
  return window
end

--- Runs a command in a window, which is closed if the command cannot be run.
---@param window integer
---@param command costline.RecipeCommand
---@param folder string
---@param on_exit fun(status: integer)
---@return boolean is_started
function M.run(window, command, folder, on_exit)
  local words = vim.list_extend({ command.program }, command.arguments)
  local options = {
    cwd = folder,
    on_exit = function(_, status)
      on_exit(status)
    end,
  }
  local is_started = vim.api.nvim_win_call(window, function()
    vim.cmd.enew()
    if vim.fn.has("nvim-0.11") == 1 then
      options.term = true
      return (pcall(vim.fn.jobstart, words, options))
    end
    return (pcall(vim.fn.termopen, words, options))
  end)
  if not is_started then
    vim.api.nvim_buf_delete(vim.api.nvim_win_get_buf(window), { force = true })
  end
  return is_started
end

return M
