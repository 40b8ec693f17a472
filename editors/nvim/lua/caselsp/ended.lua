--- Servers that have ended: the user is told, and the buffers are kept for the next one.
---
--- Neovim stops following a buffer at its first change without a client, and does not begin again when the
--- next client attaches: that one would see the text as it was then, for ever. So a stand-in, a client without
--- a process that can do nothing, is attached to such buffers until the next server is.
local M = {}

local stand_in_name = 'caselsp (ended)'
local notice_key = 'ended' -- the notice stays until a server is there again

--- Whether a client has ended or is about to.
function M.is(client)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:is_stopped()
  end
  return client.is_stopped()
end

--- The interface of a server that can do nothing.
local function nothing(dispatchers)
  local closing, last = false, 0
  local function leave()
    if not closing then
      closing = true
      dispatchers.on_exit(0, 0)
    end
  end
  return {
    request = function(method, _, answer)
      last = last + 1
      answer(nil, method == 'initialize' and { capabilities = vim.empty_dict() } or vim.NIL)
      return true, last
    end,
    notify = function(method)
      if method == 'exit' then
        leave()
      end
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = leave,
  }
end

local function stand_in()
  return vim.lsp.get_clients({ name = stand_in_name })[1]
end

local detaching = {} ---@type table<string, boolean> by client and buffer

--- A buffer's server has ended: the stand-in takes the buffer.
local function keep(client, buffer)
  vim.lsp.start({ name = stand_in_name, cmd = nothing }, {
    bufnr = buffer,
    reuse_client = function(other, wanted)
      return other.name == wanted.name and not M.is(other)
    end,
  })
  -- Up to 0.11 what Neovim knows of the text outlives the client where another one has the same encoding, and the
  -- changes for the next client would be computed from it.
  local key = client.id .. ':' .. buffer
  if vim.fn.has('nvim-0.12') == 0 and client.initialized and not detaching[key] then
    detaching[key] = true
    pcall(vim.lsp.buf_detach_client, buffer, client.id)
    detaching[key] = nil
  end
end

--- A server is there: it takes the buffers of its project from the stand-in.
local function hand_over(client)
  require('caselsp.notice').drop(notice_key)
  local other = stand_in()
  for _, buffer in ipairs(other and vim.tbl_keys(other.attached_buffers) or {}) do
    local loaded = vim.api.nvim_buf_is_loaded(buffer)
    if loaded and require('caselsp.client').root(buffer, true) == client.config.root_dir then
      vim.lsp.buf_attach_client(buffer, client.id)
    end
    if not loaded or client.attached_buffers[buffer] then
      vim.lsp.buf_detach_client(buffer, other.id)
    end
  end
end

--- Starts the program. Neovim is not told how it has ended: it would say so with a prompt that takes the next
--- key, where the user types perhaps.
function M.run(command, dispatchers, configuration)
  local given = configuration or {}
  local exited = dispatchers.on_exit
  local ours = vim.tbl_extend('force', dispatchers, {
    on_exit = function(code, signal)
      vim.schedule(function()
        M.tell(code, signal)
      end)
      exited(0, 0)
    end,
  })
  local where = { cwd = given.cmd_cwd, env = given.cmd_env, detached = given.detached }
  return vim.lsp.rpc.start(command, ours, where)
end

--- Tells that a server has ended by itself. code and signal are those of its process.
function M.tell(code, signal)
  if vim.v.exiting ~= vim.NIL or code == 0 and (signal == 0 or signal == 15) then
    return
  end
  local how = signal ~= 0 and 'signal ' .. signal or 'exit code ' .. code
  local text = 'caselsp has ended (%s). :Case restart starts it again.\n:Case resume then goes on with a task.'
  require('caselsp.notice').show(text:format(how), vim.log.levels.WARN, { key = notice_key })
end

--- Follows the servers.
function M.watch()
  local group = vim.api.nvim_create_augroup('caselsp.ended', {})
  local function on(event_name, run)
    vim.api.nvim_create_autocmd(event_name, {
      group = group,
      callback = function(event)
        local client = vim.lsp.get_client_by_id(event.data.client_id)
        if client and client.name == require('caselsp.client').name and vim.v.exiting == vim.NIL then
          run(client, event.buf)
        end
      end,
    })
  end
  on('LspDetach', function(client, buffer)
    if M.is(client) and vim.api.nvim_buf_is_loaded(buffer) then
      keep(client, buffer)
    end
  end)
  on('LspAttach', function(client)
    vim.schedule(function()
      if not M.is(client) then
        hand_over(client)
      end
    end)
  end)
end

return M
