--- Requests to the server, and what it shows.

local messages = require("costline.messages")

local M = {}

M.name = "costline"

--- Whether methods of clients take the client as their first argument (0.11).
local with_self = vim.fn.has("nvim-0.11") == 1

--- What is shown, by client: the last `costline/changed`.
---@type table<integer, costline.Shown>
local shown = {}

--- The root folders of the clients whose answers buffers without a file show, by buffer. Another client may follow in a folder.
---@type table<integer, string>
local sources = {}

--- Shows a message, by default about a problem.
---@param message string
---@param level? integer
---@param command? string what to run next
function M.notify(message, level, command)
  messages.notify("costline: " .. message, level or vim.log.levels.WARN, command)
end

--- Shows a message that is not about a problem.
---@param message string
function M.echo(message)
  messages.echo("costline: " .. message, true)
end

--- Says that no server is running.
function M.notify_missing()
  M.notify("no server is running for this file", nil, ":checkhealth costline")
end

--- Sends a request. An error is shown to the user, and `on_result` is not called.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param on_result fun(result: any)
---@param bufnr? integer
function M.request(client, method, params, on_result, bufnr)
  local function handler(err, result)
    if err then
      M.notify(err.message)
    else
      on_result(result)
    end
  end
  M.ask(client, method, params, handler, bufnr)
end

--- Sends a request.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param handler lsp.Handler
---@param bufnr? integer
function M.ask(client, method, params, handler, bufnr)
  if with_self then
    client:request(method, params, handler, bufnr)
  else
    client.request(method, params, handler, bufnr)
  end
end

--- Sends a notification.
---@param client vim.lsp.Client
---@param method string
---@param params table
function M.send(client, method, params)
  if with_self then
    client:notify(method, params)
  else
    client.notify(method, params)
  end
end

--- Sends a request and waits up to 2 s for the answer.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@return any result `nil` if there is no answer
function M.request_sync(client, method, params)
  local answer
  if with_self then
    answer = client:request_sync(method, params, 2000)
  else
    answer = client.request_sync(method, params, 2000, 0)
  end
  return answer and answer.result
end

--- The running clients, all or those of a buffer.
---@param bufnr? integer
---@return vim.lsp.Client[]
function M.all(bufnr)
  return vim.lsp.get_clients({ name = M.name, bufnr = bufnr })
end

--- The root folder of a client, which tells it from those of other projects.
---@param it vim.lsp.Client
---@return string empty for files without a project
function M.root(it)
  return it.root_dir or ""
end

--- Keeps whose answer a buffer without a file shows.
---@param bufnr integer
---@param it? vim.lsp.Client
function M.set_source(bufnr, it)
  sources[bufnr] = it and M.root(it)
end

--- The root folder of the client whose answer a buffer shows: a list, a window beside the code or a description.
---@param bufnr integer
---@return string?
local function source_of(bufnr)
  if vim.fn.getbufvar(bufnr, "&buftype") ~= "quickfix" then
    return sources[bufnr]
  end
  local context = vim.fn.getqflist({ context = 1 }).context
  return type(context) == "table" and context.costline or nil
end

---@param bufnr integer
---@return vim.lsp.Client? it
---@return boolean? has_ended whether there is none because that of the answer has ended
local function client_of(bufnr)
  local source = source_of(bufnr)
  if not source then
    return M.all(bufnr)[1]
  end
  local it = vim.iter(M.all()):find(function(one)
    return M.root(one) == source
  end)
  return it, not it
end

--- The client of a buffer, else of the alternate file, else any.
---@param bufnr? integer default: the current one
---@return vim.lsp.Client?
function M.current(bufnr)
  local it, has_ended = client_of(bufnr or vim.api.nvim_get_current_buf())
  local alternate = vim.fn.bufnr("#")
  if it or has_ended then
    return it
  end
  return alternate > 0 and client_of(alternate) or M.all()[1]
end

--- Runs a command of the server.
---@param command string without `costline.`
---@param arguments any[]
---@param on_result fun(result: any, client: vim.lsp.Client)
---@param bufnr? integer the buffer whose server is asked, by default the current one
function M.execute(command, arguments, on_result, bufnr)
  local client = M.current(bufnr)
  if not client then
    return M.notify_missing()
  end
  local params = { command = "costline." .. command, arguments = arguments }
  M.request(client, "workspace/executeCommand", params, function(result)
    on_result(result, client)
  end)
end

--- What is shown.
---@param client vim.lsp.Client
---@return costline.Shown?
function M.shown(client)
  return shown[client.id]
end

--- The profile, its project if there are several, the metric, and what is not default about the view, for titles.
---@param it vim.lsp.Client
---@return string empty without a profile
function M.title(it)
  local now = shown[it.id]
  if not now or type(now.profile) ~= "table" then
    return ""
  end
  local project = #M.all() > 1 and vim.fs.basename(M.root(it)) .. ": " or ""
  return ("%s%s (%s)"):format(project, now.profile.name, now.summary)
end

--- Keeps what a client shows, `nil` when it has ended.
---@param client_id integer
---@param now? costline.Shown
function M.set_shown(client_id, now)
  shown[client_id] = now
end

--- What is shown, what can be chosen instead, and what can be run. Waits up to 2 s for the answer.
---@param client vim.lsp.Client
---@return costline.View?
function M.view(client)
  return M.request_sync(client, "workspace/executeCommand", { command = "costline.view", arguments = {} })
end

--- The lists of the server.
---@param client vim.lsp.Client
---@return costline.Catalog?
function M.catalog(client)
  return vim.tbl_get(client.server_capabilities or {}, "experimental", "costline")
end

--- The lists of the current client, empty without one.
---@return costline.Catalog|{}
function M.current_catalog()
  local it = M.current()
  return it and M.catalog(it) or {}
end

return M
