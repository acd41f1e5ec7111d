--- Helpers of the specs: the stage, waiting with a deadline, comparing, and ending the run.

local M = {}

M.stage = vim.json.decode(table.concat(vim.fn.readfile(assert(vim.env.COSTLINE_STAGE)), "\n"))

--- Ends the run when an expectation fails.
---@param condition any
---@param ... any what was found
function M.expect(condition, ...)
  if not condition then
    error(table.concat(vim.tbl_map(vim.inspect, { ... }), "\n"), 2)
  end
end

---@param found any
---@param expected any
function M.same(found, expected)
  if not vim.deep_equal(found, expected) then
    error(("found %s\nexpected %s"):format(vim.inspect(found), vim.inspect(expected)), 2)
  end
end

--- Waits until a condition holds.
---@param what string
---@param condition fun(): any
function M.wait(what, condition)
  local found
  local is_done = vim.wait(60000, function()
    found = condition()
    return found
  end, 20)
  if not is_done then
    error("timed out waiting for " .. what, 2)
  end
  return found
end

--- Waits until two values are equal. Shows both at the deadline.
---@param what string
---@param expected any
---@param get fun(): any
function M.wait_same(what, expected, get)
  local found
  local is_done = vim.wait(60000, function()
    found = get()
    return vim.deep_equal(found, expected)
  end, 20)
  if not is_done then
    error(("%s: found %s\nexpected %s"):format(what, vim.inspect(found), vim.inspect(expected)), 2)
  end
end

--- Opens a file of the stage.
---@param file string
---@return integer bufnr
function M.edit(file)
  vim.cmd.edit(M.stage.root .. "/" .. file)
  return vim.api.nvim_get_current_buf()
end

--- The virtual text in a buffer, by 1-based line. Hints are without the word `total` of the first one
--- of each function.
---@param kind "hints"|"lenses"
---@param bufnr? integer
---@return table<string, string>
function M.drawn(kind, bufnr)
  local marks = vim.api.nvim_buf_get_extmarks(
    bufnr or 0,
    vim.api.nvim_create_namespace("costline." .. kind),
    0,
    -1,
    { details = true }
  )
  local texts = {}
  for _, mark in ipairs(marks) do
    local chunks = mark[4].virt_text or (mark[4].virt_lines or {})[1]
    if chunks then
      texts[tostring(mark[2] + 1)] = vim.trim((chunks[1][1]:gsub("%% total", "%%", 1)))
    end
  end
  return texts
end

--- The line of the current buffer on which a function is defined.
---@param name string as in profiles, qualified
---@return integer
function M.line_of(name)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    if line:find("def " .. name:match("[%w_]+$") .. "(", 1, true) then
      return number
    end
  end
  error("no function " .. name)
end

--- Waits until hints and lenses of the current buffer are those of a recording.
---@param file string
---@param recording "before"|"after"
---@param now? fun(line: integer): integer where a recorded line is now, if the text was edited
function M.wait_shown(file, recording, now)
  local costs = M.stage[recording]
  local hints = {}
  for line, cost in pairs(costs.lines[file]) do
    hints[now and tostring(now(tonumber(line))) or line] = cost
  end
  M.wait_same("hints of " .. recording, hints, function()
    return M.drawn("hints")
  end)
  M.wait_same("lenses of " .. recording, costs.functions[file], function()
    local lenses, found = M.drawn("lenses"), {}
    for name in pairs(costs.functions[file]) do
      local lens = lenses[tostring(M.line_of(name))] or ""
      found[name] = { self = lens:match("self (%S+)"), total = lens:match("total (%S+)") }
    end
    return found
  end)
end

--- The server's process below another process.
---@param pid integer
---@return integer?
function M.server_below(pid)
  for _, child in ipairs(vim.api.nvim_get_proc_children(pid)) do
    local process = vim.api.nvim_get_proc(child)
    local found = process and process.name == "costline" and child or M.server_below(child)
    if found then
      return found
    end
  end
end

--- Shares of the recording, counted directly from its text.
---@param counts fun(stack: string): boolean
---@return string
function M.percent(counts)
  local total, found = 0, 0
  for line in io.lines(M.stage.profile) do
    local stack, count = line:match("^(.*) (%d+)$")
    total = total + count
    found = found + (counts(stack .. ";") and count or 0)
  end
  return ("%.1f%%"):format(100 * found / total)
end

--- The share of the samples in which frames of these functions follow each other.
---@param ... string functions, outermost first
function M.path(...)
  local pattern = table.concat(
    vim.tbl_map(function(name)
      return ";" .. vim.pesc(name) .. " %([^;]*%);"
    end, { ... }),
    "\0"
  )
  pattern = pattern:gsub(";%z;", ";")
  return M.percent(function(stack)
    return (";" .. stack):find(pattern) ~= nil
  end)
end

--- Replaces the first recording by the second, like profilers do.
function M.rewrite()
  assert(vim.uv.fs_rename(M.stage.next, M.stage.profile))
end

--- Answers the next `vim.ui.select` calls. Each answer is a text that the chosen entry contains.
---@param words string[]
---@return {prompt: string, entries: string[]}[] asked
function M.answer(words)
  local asked = {}
  vim.ui.select = function(entries, options, on_choice)
    local shown = vim.tbl_map(options.format_item or tostring, entries)
    table.insert(asked, { prompt = options.prompt, entries = shown })
    local word = table.remove(words, 1)
    for index, text in ipairs(shown) do
      if word and text:find(word, 1, true) then
        return on_choice(entries[index], index)
      end
    end
    if word then
      error(("nothing to choose with %q: %s"):format(word, vim.inspect(shown)))
    end
    on_choice(nil, nil)
  end
  return asked
end

--- The messages shown while `run` runs, at least one.
---@param run fun(messages: string[])
---@return string[]
function M.said(run)
  local messages = {}
  local notify = vim.notify
  vim.notify = function(message)
    table.insert(messages, message)
  end
  run(messages)
  M.wait("a message", function()
    return #messages > 0
  end)
  vim.notify = notify
  return messages
end

--- Answers the next question about commands.
---@param answer integer
---@return string[] asked
function M.confirm(answer)
  local asked = {}
  vim.fn.confirm = function(question)
    table.insert(asked, question)
    return answer
  end
  return asked
end

--- Runs the tests in order, prints them, and exits Neovim, with an error if a test failed or Neovim reported an error.
---@param tests {[1]: string, [2]: fun()}[]
function M.run(tests)
  local failed = false
  for _, test in ipairs(tests) do
    vim.v.errmsg = ""
    local fine, message = xpcall(test[2], debug.traceback)
    if vim.v.errmsg ~= "" then
      fine, message = false, message or "v:errmsg: " .. vim.v.errmsg
    end
    io.stderr:write(("%s: %s\n"):format(test[1], fine and "fine" or message))
    failed = not fine
    if failed then
      break
    end
  end
  local messages = vim.fn.execute("messages")
  if failed or messages:find("E%d+:") or messages:find("Error") then
    io.stderr:write(":messages\n", messages, "\n")
    vim.cmd.cquit({ bang = true })
  end
  vim.cmd.qall({ bang = true })
end

return M
