--- The server: how it is started, started again when it crashed, and asked.

local options = require("costline.options")

local M = {}

M.name = "costline"

--- Whether methods of clients take the client first (0.11).
local with_self = vim.fn.has("nvim-0.11") == 1

--- What the server tells of itself without being asked (`costline/changed`), by client.
---@type table<integer, costline.View>
local views = {}

--- Clients that were stopped on purpose.
---@type table<integer, true>
local stopped = {}

--- When servers crashed, in milliseconds.
---@type integer[]
local crashes = {}
--- So many crashes within this time are too many.
local MOST_CRASHES, CRASH_PERIOD = 5, 180000

---@class costline.View
---@field profile? {path: string, name: string, format: string, modified: integer, deleted: boolean, picked: boolean}
---@field metric? string
---@field unit? string
---@field total? number
---@field loading? boolean
---@field choices? costline.Choice[]
---@field transforms? {text: string, transform: any}[]
---@field actions? costline.Action[]

---@class costline.Action
---@field command string
---@field title string
---@field arguments any[]

---@class costline.Choice
---@field key string
---@field title string
---@field multiple boolean
---@field value any
---@field options {value: any, label: string, description?: string, detail?: string, active: boolean}[]

---@param message string
---@param level? integer
function M.notify(message, level)
  vim.notify("costline: " .. message, level or vim.log.levels.WARN)
end

--- Sends a request; an error is shown to the user and ends it.
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

--- Sends a request and waits a moment for the answer.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@return any result `nil` where there is none
function M.request_sync(client, method, params)
  local answer
  if with_self then
    answer = client:request_sync(method, params, 2000)
  else
    answer = client.request_sync(method, params, 2000, 0)
  end
  return answer and answer.result
end

--- The running clients; of a buffer's, where it has any.
---@param bufnr? integer
---@return vim.lsp.Client[]
function M.all(bufnr)
  return vim.lsp.get_clients({ name = M.name, bufnr = bufnr })
end

--- The buffer's client, else the one of the last file that had one: lists and documents have none of their own.
---@return vim.lsp.Client?
function M.current()
  local client = M.all(vim.api.nvim_get_current_buf())[1]
  if client then
    return client
  end
  local alternate = vim.fn.bufnr("#")
  return (alternate > 0 and M.all(alternate)[1]) or M.all()[1]
end

--- Runs a command of the server's.
---@param command string without `costline.`
---@param arguments any[]
---@param on_result fun(result: any, client: vim.lsp.Client)
function M.execute(command, arguments, on_result)
  local client = M.current()
  if not client then
    return M.notify("no server is running for this file (:checkhealth costline)")
  end
  local params = { command = "costline." .. command, arguments = arguments }
  M.request(client, "workspace/executeCommand", params, function(result)
    on_result(result, client)
  end)
end

--- What is shown, as the server said last.
---@param client vim.lsp.Client
---@return costline.View?
function M.view(client)
  return views[client.id]
end

--- The section of settings. An empty one would be a list in JSON.
---@return table
function M.settings()
  return { costline = next(options.settings) and options.settings or vim.empty_dict() }
end

--- Sends the settings to running servers, which take them over at once.
function M.configure()
  for _, client in ipairs(M.all()) do
    client.settings = M.settings()
    local params = { settings = client.settings }
    if with_self then
      client:notify("workspace/didChangeConfiguration", params)
    else
      client.notify("workspace/didChangeConfiguration", params)
    end
  end
end

---@param client vim.lsp.Client
---@param buffers integer[]
local function start_again(client, buffers)
  for _, bufnr in ipairs(buffers) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      vim.lsp.start(client.config, { bufnr = bufnr })
    end
  end
end

--- Starts a server that crashed again: at once, then ever later, and no more when it crashes all the time.
---@param client vim.lsp.Client
---@param buffers integer[]
local function on_exit(client, buffers)
  views[client.id] = nil
  local was_stopped = stopped[client.id]
  stopped[client.id] = nil
  -- One that never ran would not run now either.
  if was_stopped or not client.initialized or vim.v.exiting ~= vim.NIL then
    return
  end
  local now = vim.uv.now()
  crashes = vim.tbl_filter(function(time)
    return now - time < CRASH_PERIOD
  end, crashes)
  table.insert(crashes, now)
  if #crashes >= MOST_CRASHES then
    return M.notify("the server keeps ending: see :Costline log, and :Costline restart")
  end
  M.notify("the server ended, it is started again")
  vim.defer_fn(function()
    start_again(client, buffers)
  end, 50 * 4 ^ (#crashes - 1))
end

--- Stops the servers and starts them again.
function M.restart()
  crashes = {}
  local clients = M.all()
  if #clients == 0 then
    return M.enable()
  end
  for _, client in ipairs(clients) do
    local buffers = vim.tbl_keys(client.attached_buffers)
    if with_self then
      client:stop()
    else
      client.stop()
    end
    local timer = assert(vim.uv.new_timer())
    timer:start(
      20,
      20,
      vim.schedule_wrap(function()
        if not vim.lsp.get_client_by_id(client.id) and not timer:is_closing() then
          timer:close()
          start_again(client, buffers)
        end
      end)
    )
  end
end

---@param bufnr integer
---@return boolean
local function is_file(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  return vim.bo[bufnr].buftype == "" and name ~= "" and not name:find("^%a[%w+.-]+://")
end

--- The project of a file: the nearest folder above with a marker, the more telling markers first; else the current folder, if
--- the file lies in it.
---@param bufnr integer
---@return string?
local function root_of(bufnr)
  for _, marker in ipairs(options.root_markers) do
    local root = vim.fs.root(bufnr, marker)
    if root then
      return root
    end
  end
  local here, name = vim.fs.normalize(assert(vim.uv.cwd())), vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr))
  return vim.startswith(name, here .. "/") and here or nil
end

--- What `vim.lsp.enable` takes.
---@return vim.lsp.ClientConfig
function M.config()
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.workspace.codeLens = { refreshSupport = true }
  capabilities.experimental = { costline = { changed = true } }

  local function redraw(_, _, context)
    require("costline.draw").update_all(context.client_id)
    return vim.NIL
  end

  return {
    name = M.name,
    cmd = function(dispatchers)
      -- What Neovim says of a crash is longer than most lines: it would wait for a key, and the new start with it.
      local quiet = vim.tbl_extend("force", dispatchers, {
        on_exit = function()
          dispatchers.on_exit(0, 0)
        end,
      })
      return vim.lsp.rpc.start(options.cmd, quiet)
    end,
    root_dir = function(bufnr, on_dir)
      if is_file(bufnr) then
        on_dir(root_of(bufnr))
      end
    end,
    settings = M.settings(),
    capabilities = capabilities,
    handlers = {
      ["workspace/inlayHint/refresh"] = redraw,
      ["workspace/codeLens/refresh"] = redraw,
      ["costline/changed"] = function(_, view, context)
        local before = views[context.client_id]
        views[context.client_id] = view
        -- Tiers are shares of the total.
        if not before or before.total ~= view.total then
          redraw(nil, nil, context)
        end
        vim.api.nvim_exec_autocmds("User", { pattern = "CostlineChanged", modeline = false, data = view })
        vim.cmd.redrawstatus({ bang = true })
      end,
    },
    commands = {
      ["costline.showCallers"] = function(command)
        require("costline.lists").calls("callers", command.arguments[1])
      end,
    },
    on_init = function(client)
      require("costline.draw").take_over(client)
      local stop = client.stop
      client.stop = function(...)
        stopped[client.id] = true
        return stop(...)
      end
    end,
    on_exit = function(_, _, client_id)
      local client = vim.lsp.get_client_by_id(client_id)
      if client then
        -- In 0.12 there are none left a moment later.
        local buffers = vim.tbl_keys(client.attached_buffers)
        vim.schedule(function()
          on_exit(client, buffers)
        end)
      end
    end,
  }
end

--- Starts the server for a buffer with a file in it, where Neovim does not do so itself (0.10).
---@param bufnr integer
local function start(bufnr)
  if is_file(bufnr) then
    local config = M.config()
    config.root_dir = root_of(bufnr)
    vim.lsp.start(config, { bufnr = bufnr })
  end
end

--- Has the server started for every file, those that are open included.
function M.enable()
  if vim.fn.executable(options.cmd[1]) == 0 then
    -- What the user sets up may come after this.
    vim.schedule(function()
      if vim.fn.executable(options.cmd[1]) == 0 then
        vim.notify_once(
          ("costline: %s cannot be run (:checkhealth costline)"):format(options.cmd[1]),
          vim.log.levels.WARN
        )
      end
    end)
    return
  end
  if vim.lsp.config then
    vim.lsp.enable(M.name)
    return
  end
  vim.api.nvim_create_autocmd("FileType", {
    group = vim.api.nvim_create_augroup("costline.start", {}),
    callback = function(args)
      start(args.buf)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].filetype ~= "" then
      start(bufnr)
    end
  end
end

return M
