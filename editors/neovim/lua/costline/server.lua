--- The server: its configuration, its start, and its restart after a crash.

local client = require("costline.client")
local options = require("costline.options")

local M = {}

--- Clients that were stopped on purpose.
---@type table<integer, true>
local stopped = {}

--- When servers crashed, in milliseconds.
---@type integer[]
local crashes = {}
--- After this many crashes within this time (in milliseconds), a server is not restarted.
local MAX_CRASHES, CRASH_PERIOD = 5, 180000

--- What was said about the last server that ended during its start, until one has started.
---@type string?
M.failure = nil

--- How the process ended that is being reported.
---@type {code: integer, signal: integer}
local ended = { code = 0, signal = 0 }

--- How long a server may take to end before it is killed, and how long then, in milliseconds.
local PATIENCE = 2000

--- The levels of messages of the server.
local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }

--- The settings of the server in the options. An empty table would become a list in JSON.
---@return table
local function chosen_settings()
  return { costline = next(options.settings) and options.settings or vim.empty_dict() }
end

--- The settings of the server: those that were given to `vim.lsp.config()`, changed by the options.
---@return table
local function settings()
  local configured = vim.lsp.config and vim.lsp.config[client.name]
  return vim.tbl_deep_extend("force", configured and configured.settings or {}, chosen_settings())
end

--- Sends the settings to the running servers, which apply them at once.
function M.configure()
  if vim.lsp.config then
    -- Resolves the configuration again. Given here, the settings would be merged with those given before.
    vim.lsp.config(client.name, {})
  end
  for _, it in ipairs(client.all()) do
    it.settings = settings()
    client.send(it, "workspace/didChangeConfiguration", { settings = it.settings })
  end
end

---@param it vim.lsp.Client
---@param buffers integer[]
local function start_for(it, buffers)
  for _, bufnr in ipairs(buffers) do
    if vim.api.nvim_buf_is_loaded(bufnr) then
      vim.lsp.start(it.config, { bufnr = bufnr })
    end
  end
end

--- How a process ended, and the first line of its messages if there is one.
---@param process {code: integer, signal: integer, stderr?: string}
---@return string how
---@return string? message
local function ending(process)
  local how = process.signal > 0 and ("was ended by signal %d"):format(process.signal)
    or ("ended with status %d"):format(process.code)
  return how, (process.stderr or ""):match("%S[^\r\n]*")
end

--- How a process ended: with its status, and the first line of its messages if there is one.
---@param process {code: integer, signal: integer, stderr?: string}
---@return string
function M.described(process)
  local how, message = ending(process)
  return message and ("%s: %s"):format(how, message) or how
end

--- Says how a server ended during its start. Neovim has its messages only in the log, so it is run once more for these.
---@param process {code: integer, signal: integer}
local function report_failure(process)
  local function report(again)
    process.stderr = again.stderr
    local how, message = ending(process)
    local failure = ("the server %s %s"):format(table.concat(options.cmd, " "), how)
    -- The reason comes first, as the end may be cut.
    failure = message and ("%s; %s"):format(message, failure) or failure
    if failure ~= M.failure then
      M.failure = failure
      client.notify(failure, nil, ":checkhealth costline")
    end
  end
  vim.system(options.cmd, { stdin = "", text = true, timeout = PATIENCE }, vim.schedule_wrap(report))
end

--- Restarts a server that crashed, with a delay that grows with each crash.
---@param it vim.lsp.Client
---@param buffers integer[]
---@param process {code: integer, signal: integer}
local function on_exit(it, buffers, process)
  client.set_shown(it.id, nil)
  local was_stopped = stopped[it.id]
  stopped[it.id] = nil
  -- Only `stop` ends a server by SIGTERM before it is initialized.
  was_stopped = was_stopped or (not it.initialized and process.signal == 15)
  if was_stopped or vim.v.exiting ~= vim.NIL then
    return
  elseif not it.initialized then
    -- It would end again.
    return report_failure(process)
  end
  local now = vim.uv.now()
  crashes = vim.tbl_filter(function(time)
    return now - time < CRASH_PERIOD
  end, crashes)
  table.insert(crashes, now)
  if #crashes >= MAX_CRASHES then
    return client.notify("the server keeps crashing and is not restarted", nil, ":Costline restart")
  end
  client.notify("the server crashed and was restarted")
  vim.defer_fn(function()
    start_for(it, buffers)
  end, 50 * 4 ^ (#crashes - 1))
end

--- Stops a server. One that does not end is killed.
---@param it vim.lsp.Client
---@param on_end fun()
local function stop_and_wait(it, on_end)
  if vim.fn.has("nvim-0.11") == 1 then
    it:stop()
  else
    it.stop()
  end
  local timer, killed = assert(vim.uv.new_timer()), false
  local deadline = vim.uv.now() + PATIENCE
  timer:start(
    20,
    20,
    vim.schedule_wrap(function()
      if timer:is_closing() then
        return
      elseif not vim.lsp.get_client_by_id(it.id) then
        timer:close()
        on_end()
      elseif vim.uv.now() < deadline then
        return
      elseif killed then
        timer:close()
        client.notify("the server does not stop, so no new one is started")
      else
        killed, deadline = true, vim.uv.now() + PATIENCE
        -- A client that is being stopped ignores `stop`.
        it.rpc.terminate()
      end
    end)
  )
end

--- Restarts the servers.
function M.restart()
  crashes, M.failure = {}, nil
  local clients = client.all()
  if #clients == 0 then
    return M.enable()
  end
  for _, it in ipairs(clients) do
    local buffers = vim.tbl_keys(it.attached_buffers)
    stop_and_wait(it, function()
      start_for(it, buffers)
    end)
  end
end

---@param bufnr integer
---@return boolean
local function is_file(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  return vim.bo[bufnr].buftype == "" and name ~= "" and not name:find("^%a[%w+.-]+://")
end

---@param folder string
---@return boolean
local function is_project(folder)
  local home = vim.uv.os_homedir()
  return folder ~= vim.fs.dirname(folder) and not (home and folder == vim.fs.normalize(home))
end

--- The root folder of the project of a file: the nearest folder above it with the first marker, else with the second and so
--- on, else the current folder if it contains the file. The home folder and the root of the file system are no projects.
---@param bufnr integer
---@return string?
local function root_of(bufnr)
  for _, marker in ipairs(options.root_markers) do
    local root = vim.fs.root(bufnr, marker)
    if root and is_project(root) then
      return root
    end
  end
  local here, name = vim.fs.normalize(assert(vim.uv.cwd())), vim.fs.normalize(vim.api.nvim_buf_get_name(bufnr))
  return is_project(here) and vim.startswith(name, here .. "/") and here or nil
end

--- The configuration of the server, for `vim.lsp.enable` and `vim.lsp.start`.
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
    name = client.name,
    cmd = function(dispatchers)
      -- Neovim's own message about a crash is longer than a line: it would wait for a key, and delay the restart.
      local quiet = vim.tbl_extend("force", dispatchers, {
        on_exit = function(code, signal)
          ended = { code = code, signal = signal }
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
    settings = chosen_settings(),
    capabilities = capabilities,
    before_init = function(_, config)
      -- Those of now, also when a server is started again. The client has the same table.
      config.settings.costline = settings().costline
    end,
    handlers = {
      ["workspace/inlayHint/refresh"] = redraw,
      ["workspace/codeLens/refresh"] = redraw,
      ---@param now costline.Shown
      ["costline/changed"] = function(_, now, context)
        client.set_shown(context.client_id, now)
        vim.api.nvim_exec_autocmds("User", { pattern = "CostlineChanged", modeline = false, data = now })
        vim.cmd.redrawstatus({ bang = true })
      end,
      -- Neovim's own would wait for a key after a long message.
      ---@param params lsp.ShowMessageParams
      ["window/showMessage"] = function(_, params)
        client.notify(params.message, levels[params.type])
        return vim.NIL
      end,
    },
    commands = {
      ["costline.showCallers"] = function(command)
        require("costline.lists").calls("incoming", command.arguments[1])
      end,
    },
    on_init = function(it)
      M.failure = nil
      require("costline.draw").take_over(it)
      local stop = it.stop
      it.stop = function(...)
        stopped[it.id] = true
        return stop(...)
      end
    end,
    on_exit = function(_, _, client_id)
      local it = vim.lsp.get_client_by_id(client_id)
      if it then
        -- In 0.12 they are gone when the scheduled function runs.
        local buffers, process = vim.tbl_keys(it.attached_buffers), ended
        vim.schedule(function()
          on_exit(it, buffers, process)
        end)
      end
    end,
  }
end

--- Starts the server for a buffer that has a file (0.10; later versions use `vim.lsp.enable`).
---@param bufnr integer
local function start(bufnr)
  if is_file(bufnr) then
    local config = M.config()
    config.root_dir = root_of(bufnr)
    vim.lsp.start(config, { bufnr = bufnr })
  end
end

--- Announces the document in front to its servers. Lists and status are about its workspace folder.
---@param bufnr integer
local function announce(bufnr)
  if bufnr ~= vim.api.nvim_get_current_buf() or not is_file(bufnr) then
    return
  end
  ---@type costline.ActiveDocumentParams
  local params = { uri = vim.uri_from_bufnr(bufnr) }
  for _, it in ipairs(client.all(bufnr)) do
    client.send(it, "costline/activeDocument", params)
  end
end

--- Whether it was said that the server cannot be run.
local has_said_missing = false

--- Starts the server for every file that is or will be open.
function M.enable()
  if vim.fn.executable(options.cmd[1]) == 0 then
    -- `setup` may be called later.
    vim.schedule(function()
      if vim.fn.executable(options.cmd[1]) == 0 and not has_said_missing then
        has_said_missing = true
        client.notify(("%s cannot be run"):format(options.cmd[1]), nil, ":checkhealth costline")
      end
    end)
    return
  end
  vim.api.nvim_create_autocmd({ "BufEnter", "LspAttach" }, {
    group = vim.api.nvim_create_augroup("costline.active", {}),
    callback = function(args)
      announce(args.buf)
    end,
  })
  if vim.lsp.config then
    vim.lsp.enable(client.name)
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
