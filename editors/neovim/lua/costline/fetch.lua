--- Fetches a profile from a source that the workspace names: asks, runs the command in a terminal, and shows the costs.

local client = require("costline.client")
local terminal = require("costline.terminal")

local M = {}

--- Shows what was fetched, compared with the earlier range if there is one.
---@param name string
---@param bufnr integer
local function show(name, bufnr)
  ---@param answer costline.NamedSources
  client.execute("sources", {}, function(answer)
    for _, source in ipairs(answer.sources) do
      if source.name == name and type(source.profile) == "string" then
        client.execute("selectProfile", { source.profile }, function()
          if type(source.baseline) == "string" then
            client.execute("setBaseline", { source.baseline }, function() end, bufnr)
          end
        end, bufnr)
      end
    end
  end, bufnr)
end

--- Runs the command of a source if the user agrees.
---@param source costline.NamedSource
local function confirm(source)
  local question = ("Fetch %s? In %s, from %s:\n%s"):format(source.name, source.folder, source.place, source.text)
  if vim.fn.confirm(question, "&Fetch\n&Cancel", 2) ~= 1 then
    return
  end
  local bufnr = vim.api.nvim_get_current_buf()
  local window = terminal.window()
  local is_started = terminal.run(window, source.command, source.folder, function(status)
    if status ~= 0 then
      return client.notify(("%s was not fetched; the terminal shows why"):format(source.name))
    end
    show(source.name, bufnr)
  end)
  if not is_started then
    client.notify(("%s could not be run"):format(source.command.program))
  end
end

--- Fetches from a source; without a name, the user chooses one.
---@param name? string
function M.fetch(name)
  ---@param answer costline.NamedSources
  client.execute("sources", {}, function(answer)
    if type(answer.problem) == "string" then
      return client.notify(("%s: %s"):format(answer.file, answer.problem))
    elseif type(answer.file) ~= "string" then
      return client.notify("this file is in no project, so there is no file that names sources")
    elseif not vim.uv.fs_stat(answer.file) then
      return client.notify(("there is no %s; write the sources of profiles into it"):format(answer.file))
    elseif #answer.sources == 0 then
      return client.notify(("%s names no sources"):format(answer.file))
    elseif name then
      for _, source in ipairs(answer.sources) do
        if source.name == name then
          return confirm(source)
        end
      end
      return client.notify(("%s has no source %s"):format(answer.file, name))
    end
    local function format(source)
      return ("%s  %s  %s"):format(source.name, source.kind, source.place)
    end
    vim.ui.select(answer.sources, { prompt = "Fetch", format_item = format, kind = "costline" }, function(source)
      if source then
        confirm(source)
      end
    end)
  end)
end

--- The names of the sources. Waits up to 2 s for the answer.
---@return string[]
function M.names()
  local current = client.current()
  if not current then
    return {}
  end
  local params = { command = "costline.sources", arguments = {} }
  local answer = client.request_sync(current, "workspace/executeCommand", params)
  return vim.tbl_map(function(source)
    return source.name
  end, answer and answer.sources or {})
end

return M
