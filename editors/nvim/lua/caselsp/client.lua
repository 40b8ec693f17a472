--- The server: which project a buffer belongs to, the client of that project, and commands to it.
local config = require('caselsp.config')

local M = {}

M.name = 'caselsp'

-- Where caselsp keeps the documents that it shows: reviews, reports, prompts.
local documents = '*/caselsp/workspaces/*/documents/*'

local owners = {} ---@type table<string, string> the project's root by the folder of its documents
local reviewed = {} ---@type table<integer, boolean> whether the next message is that of a result, by the client's id
local waiting = {} ---@type table<integer, function[]> what is done when a client is ready, by its id

--- Whether a buffer shows a document of caselsp.
function M.is_document(buffer)
  return vim.api.nvim_buf_get_name(buffer):find('/caselsp/workspaces/[^/]+/documents/') ~= nil
end

local function folder_of(file)
  return vim.fs.dirname(vim.fs.normalize(file))
end

--- Whether a folder is one in which projects lie, not a project.
local function too_wide(folder)
  local home = vim.fs.normalize(vim.uv.os_homedir() or '/')
  return folder == home or vim.startswith(home .. '/', folder == '/' and '/' or folder .. '/')
end

--- The root of a buffer's project; nil where there is none. asked: the user wants caselsp here, so
--- that a folder without a marker is a project, too.
---@return string|nil
function M.root(buffer, asked)
  local name = vim.api.nvim_buf_get_name(buffer)
  local cwd = vim.fs.normalize(vim.fn.getcwd())
  if vim.b[buffer].caselsp_root then
    return vim.b[buffer].caselsp_root
  elseif M.is_document(buffer) then
    return owners[folder_of(name)] or vim.fs.root(cwd, config.get().root_markers) or cwd
  end
  local is_file = name ~= '' and vim.bo[buffer].buftype == '' and not name:find('^%a[%w+.-]+://')
  local root = vim.fs.root(is_file and name or cwd, config.get().root_markers)
  if root then
    return root
  end
  local folder = is_file and folder_of(name) or cwd
  if not too_wide(cwd) and vim.startswith(folder .. '/', cwd .. '/') then
    return cwd
  end
  return asked and folder or nil
end

--- The client of a buffer's project; nil where none runs.
function M.get(buffer)
  local ended = require('caselsp.ended').is
  local client = vim.iter(vim.lsp.get_clients({ bufnr = buffer, name = M.name })):find(function(c)
    return not ended(c)
  end)
  local root = not client and M.root(buffer, true)
  return client
    or vim.iter(vim.lsp.get_clients({ name = M.name })):find(function(c)
      return c.config.root_dir == root and not ended(c)
    end)
end

local function when_ready(client, run)
  if client.initialized then
    return run(client)
  end
  waiting[client.id] = waiting[client.id] or {}
  table.insert(waiting[client.id], run)
end

local function same_project(client, wanted)
  local same = client.name == wanted.name and client.config.root_dir == wanted.root_dir
  return same and not require('caselsp.ended').is(client)
end

--- Starts the server for a project, or returns the id of the one that runs. Only a buffer that shows
--- a file is attached.
local function start(root, buffer)
  local wanted = vim.fn.has('nvim-0.11') == 1 and vim.deepcopy(vim.lsp.config[M.name]) or M.configuration()
  wanted.root_dir = root
  if buffer and vim.bo[buffer].buftype == '' and vim.api.nvim_buf_get_name(buffer) ~= '' then
    return vim.lsp.start(wanted, { bufnr = buffer, reuse_client = same_project })
  elseif vim.fn.has('nvim-0.11') == 1 then
    return vim.lsp.start(wanted, { attach = false })
  end
  return vim.lsp.start_client(wanted) -- luacheck: ignore
end

--- Runs a function with the client of a buffer's project, which is started where none runs.
---@param buffer integer
---@param run fun(client: vim.lsp.Client)
function M.with(buffer, run)
  local client = M.get(buffer)
  if not client then
    if vim.fn.executable(config.get().cmd[1]) == 0 then
      local text = 'The program “%s” is not on the PATH. See :checkhealth caselsp.'
      return require('caselsp.notice').show(text:format(config.get().cmd[1]), vim.log.levels.ERROR)
    end
    client = vim.lsp.get_client_by_id(start(M.root(buffer, true), buffer) or -1)
  end
  if not client then
    return require('caselsp.notice').show('caselsp did not start. See :checkhealth caselsp.', vim.log.levels.ERROR)
  end
  when_ready(client, run)
end

local function request(client, method, params, answer, buffer)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:request(method, params, answer, buffer)
  end
  return client.request(method, params, answer, buffer)
end

M.request = request

--- Ends a server.
function M.stop(client)
  if vim.fn.has('nvim-0.11') == 1 then
    return client:stop()
  end
  client.stop()
end

--- Whether the server has a command.
function M.offers(client, command)
  local provider = client.server_capabilities.executeCommandProvider
  return provider ~= nil and vim.tbl_contains(provider.commands, command)
end

--- Has the server carry out a command. done gets the answer; errors are shown.
---@param client vim.lsp.Client
---@param command string
---@param arguments table|nil one object
---@param done fun(answer: any)|nil
---@param quiet boolean|nil the user has not asked for it: errors are not shown
function M.execute(client, command, arguments, done, quiet)
  if arguments and next(arguments) == nil then
    arguments = nil -- an empty table would be sent as an empty list
  end
  local params = { command = command, arguments = { arguments } }
  request(client, 'workspace/executeCommand', params, function(err, answer)
    if err and not quiet then
      require('caselsp.notice').show(err.message, vim.log.levels.ERROR)
    elseif not err and done then
      done(answer)
    end
  end)
end

--- The same, waiting for the answer at most for so many milliseconds; nil where none came.
function M.execute_sync(client, command, arguments, limit)
  local answer
  M.execute(client, command, arguments, function(a)
    answer = a
  end)
  vim.wait(limit, function()
    return answer ~= nil
  end, 5)
  return answer
end

--- Shows a document of the server. The user's own window stays: it opens beside. A review is shown
--- as such.
local function show_document(err, params, ctx)
  local client = assert(vim.lsp.get_client_by_id(ctx.client_id))
  if err or params.external or not vim.startswith(params.uri, 'file:') then
    return vim.lsp.handlers['window/showDocument'](err, params, ctx)
  end
  local file = vim.uri_to_fname(params.uri)
  if file:find('/caselsp/workspaces/[^/]+/documents/') then
    owners[folder_of(file)] = client.config.root_dir
    local task = vim.fs.basename(file):match('^review%-(.+)%.diff$')
    if task and config.get().review.float then
      if params.takeFocus == false then
        reviewed[client.id] = true
      else
        require('caselsp.review').open(client, task)
      end
      return { success = true }
    end
    if params.takeFocus ~= false then
      require('caselsp.notice').drop() -- what it is about is in the document, which a notice would cover
    end
    if params.takeFocus ~= false and not M.is_document(vim.api.nvim_get_current_buf()) then
      local shown = vim.fn.bufwinid(file)
      if shown > 0 then
        vim.api.nvim_set_current_win(shown)
      else
        vim.cmd.split()
      end
    end
  end
  return vim.lsp.handlers['window/showDocument'](err, params, ctx)
end

--- The windows that show the end of an activity document: the function that is returned puts their cursors there again.
local function following()
  local list = vim.tbl_filter(function(window)
    local buffer = vim.api.nvim_win_get_buf(window)
    return vim.api.nvim_buf_get_name(buffer):find('/documents/activity%-[^/]*$') ~= nil
      and M.is_document(buffer)
      and vim.api.nvim_win_get_cursor(window)[1] == vim.api.nvim_buf_line_count(buffer)
  end, vim.api.nvim_list_wins())
  return function()
    for _, window in ipairs(list) do
      local last = vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(window))
      vim.api.nvim_win_set_cursor(window, { last, 0 })
    end
  end
end

--- Applies an edit of the server. Neovim's own handler prints its label and, of a text that is newer, that it is: a
--- line longer than the screen waits for a key, and takes the one that is typed next.
local function apply_edit(err, params, ctx)
  local answer
  local follow = following()
  params.label = nil
  M.apply = function()
    answer = vim.lsp.handlers['workspace/applyEdit'](err, params, ctx)
  end
  vim.api.nvim_cmd({ cmd = 'lua', args = { "require('caselsp.client').apply()" }, mods = { silent = true } }, {})
  follow()
  return answer
end

--- A message in the words of this plugin: it has subcommands where the server has commands. What is
--- quoted stays as it is.
local function in_words(text)
  if text:find('“', 1, true) then
    return text
  end
  return (
    text:gsub('(caselsp%.note) with send', '%1 send'):gsub('caselsp%.(%l+)', function(name)
      return require('caselsp.command').subcommands[name] and ':Case ' .. name or nil
    end)
  )
end

local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.DEBUG }

--- The configuration for vim.lsp.config or vim.lsp.start.
function M.configuration()
  local declared = { experimental = { caselsp = { events = true } } }
  if vim.fn.has('nvim-0.11') == 0 then
    declared = vim.tbl_deep_extend('force', vim.lsp.protocol.make_client_capabilities(), declared)
  end
  return {
    name = M.name,
    cmd = function(dispatchers, configuration)
      return require('caselsp.ended').run(config.get().cmd, dispatchers, configuration)
    end,
    capabilities = declared,
    -- An empty table would be sent as a list.
    settings = { caselsp = vim.tbl_isempty(config.get().settings) and vim.empty_dict() or config.get().settings },
    root_dir = function(buffer, done)
      local root = config.get().autostart and M.root(buffer, false)
      if root and vim.fn.executable(config.get().cmd[1]) == 1 then
        done(root)
      end
    end,
    reuse_client = same_project,
    on_init = function(client)
      local list = waiting[client.id] or {}
      waiting[client.id] = nil
      vim.schedule(function()
        for _, run in ipairs(list) do
          run(client)
        end
      end)
    end,
    on_exit = function(code, signal, id)
      waiting[id] = nil
      vim.schedule(function()
        require('caselsp.events').forget(id)
        require('caselsp.ended').tell(code, signal)
      end)
    end,
    handlers = {
      -- Neovim's own shows what is longer than the command line with a prompt that takes the next key.
      ['window/showMessage'] = function(_, message, ctx)
        local footer = reviewed[ctx.client_id] and ':Case review' or nil
        reviewed[ctx.client_id] = nil
        local level = levels[message.type] or vim.log.levels.INFO
        require('caselsp.notice').show(in_words(message.message), level, { footer = footer })
        return vim.NIL
      end,
      ['window/showDocument'] = show_document,
      ['workspace/applyEdit'] = apply_edit,
      ['caselsp/changed'] = function(_, params, ctx)
        local client = vim.lsp.get_client_by_id(ctx.client_id)
        if client then
          require('caselsp.events').changed(client, params)
        end
      end,
    },
  }
end

--- Attaches a buffer that shows a file of a project.
local function attach(buffer)
  if vim.bo[buffer].buftype == '' and vim.api.nvim_buf_get_name(buffer) ~= '' then
    M.configuration().root_dir(buffer, function(root)
      start(root, buffer)
    end)
  end
end

--- A document of caselsp belongs to the client of its project. It is never written, so that nothing
--- asks to save it.
local function adopt(buffer)
  vim.bo[buffer].buftype = 'nowrite'
  vim.bo[buffer].swapfile = false
  vim.schedule(function() -- when the type of the file is known
    if not vim.api.nvim_buf_is_loaded(buffer) then
      return
    end
    local client = M.get(buffer)
    if client then
      vim.lsp.buf_attach_client(buffer, client.id)
    end
  end)
end

--- Attaches a buffer of a server that has ended to the next one.
function M.attach(buffer)
  if M.is_document(buffer) then
    adopt(buffer)
  else
    attach(buffer)
  end
end

--- Has the server started where there is a project.
function M.enable()
  local group = vim.api.nvim_create_augroup('caselsp', {})
  local function on(events, pattern, run)
    vim.api.nvim_create_autocmd(events, { group = group, pattern = pattern, callback = run })
  end
  on({ 'BufReadPost', 'BufNewFile' }, documents, function(event)
    adopt(event.buf)
  end)
  -- A thread's document is read anew when its server has ended: the next one does not know the old buffer.
  on('LspDetach', '*/caselsp/workspaces/*/documents/thread-*.md', function(event)
    vim.schedule(function()
      pcall(vim.api.nvim_buf_delete, event.buf, { force = true })
    end)
  end)
  if vim.fn.has('nvim-0.11') == 1 then
    vim.lsp.enable(M.name)
    return
  end
  on('FileType', '*', function(event)
    attach(event.buf)
  end)
  if vim.v.vim_did_enter == 1 then
    vim.iter(vim.api.nvim_list_bufs()):filter(vim.api.nvim_buf_is_loaded):each(attach)
  end
end

return M
