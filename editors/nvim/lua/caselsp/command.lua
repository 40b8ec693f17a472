--- The command :Case and its subcommands, always for the current buffer's project.
local notice = require('caselsp.notice')

local M = {}

---@class caselsp.Call
---@field buffer integer
---@field client vim.lsp.Client
---@field words string[] behind the subcommand
---@field text string the same as one text
---@field range table|nil lines, as the protocol has them

local function execute(call, command, arguments, done)
  require('caselsp.client').execute(call.client, command, arguments, done)
end

--- The text behind the subcommand, or else what the user is asked for.
local function with_text(call, prompt, run)
  if call.text ~= '' then
    return run(call.text)
  end
  vim.ui.input({ prompt = prompt }, function(text)
    if text and vim.trim(text) ~= '' then
      run(vim.trim(text))
    end
  end)
end

--- The arguments about a place: the range where one was given.
local function place(call, arguments)
  if call.range then
    arguments.uri, arguments.range = vim.uri_from_bufnr(call.buffer), call.range
  end
  return arguments
end

--- A command about one task, which may be named.
local function of_task(command)
  return {
    complete = 'tasks',
    run = function(call)
      execute(call, command, { task = call.words[1] })
    end,
  }
end

--- A command without arguments.
local function plain(command)
  return {
    run = function(call)
      execute(call, command)
    end,
  }
end

--- What is sent in a document of caselsp: its first code action.
local function send(call)
  local first = { line = 0, character = 0 }
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(call.buffer) },
    range = { start = first, ['end'] = first },
    context = { diagnostics = {} },
  }
  require('caselsp.client').request(call.client, 'textDocument/codeAction', params, function(err, actions)
    local action = not err and actions and actions[1]
    if not action or not require('caselsp.client').is_document(call.buffer) then
      return notice.show('This is no document of caselsp that can be sent.', vim.log.levels.WARN)
    end
    local command = type(action.command) == 'table' and action.command or action
    execute(call, command.command, command.arguments[1])
  end, call.buffer)
end

--- Shows the states of the tasks.
local function status(call)
  require('caselsp.events').status(call.client, call.words[1], function(tasks)
    local lines = {}
    for _, t in ipairs(tasks) do
      if
        call.words[1]
        or t.state == 'review'
        or vim.tbl_contains(t.can, 'caselsp.stop')
        or vim.tbl_contains(t.can, 'caselsp.resume')
      then
        local line = vim.startswith(t.line, t.state) and t.line or t.state .. ': ' .. t.line
        table.insert(lines, t.id .. '  ' .. line)
        for _, f in ipairs(t.plan or {}) do
          table.insert(lines, ('    %-8s%s'):format(f.state, f.title))
        end
      end
    end
    if #lines == 0 then
      lines = { 'No task is under way or waits for you.' }
    end
    notice.show(table.concat(lines, '\n'), nil, { title = 'Tasks' })
  end)
  require('caselsp.events').questions(call.client)
end

M.subcommands = {
  run = {
    does = 'start a task; with a range about these lines',
    run = function(call)
      with_text(call, 'Task: ', function(text)
        execute(call, 'caselsp.run', place(call, { task = text }))
      end)
    end,
  },
  ask = {
    does = 'ask about the code; with a range about these lines',
    run = function(call)
      with_text(call, 'Question: ', function(text)
        local arguments = { text = text }
        if vim.bo[call.buffer].buftype == '' and vim.api.nvim_buf_get_name(call.buffer) ~= '' then
          arguments.uri = vim.uri_from_bufnr(call.buffer)
        end
        execute(call, 'caselsp.ask', place(call, arguments))
      end)
    end,
  },
  follow = {
    does = 'start a task that goes on from the last one',
    run = function(call)
      with_text(call, 'Task that goes on from the last: ', function(text)
        execute(call, 'caselsp.follow', { text = text })
      end)
    end,
  },
  tell = {
    does = 'say something to the task that is under way',
    run = function(call)
      with_text(call, 'Tell the task: ', function(text)
        execute(call, 'caselsp.tell', { text = text })
      end)
    end,
  },
  new = {
    does = 'write a task in a document; :Case send starts it',
    run = function(call)
      execute(call, 'caselsp.new', place(call, {}))
    end,
  },
  send = { does = 'send the document of caselsp in this window', run = send },
  fix = {
    does = 'fix the diagnostic under the cursor, of any server',
    run = function(call)
      require('caselsp.fix').run(call.client, call.buffer)
    end,
  },
  fixall = {
    does = 'apply the certain fixes of this file',
    run = function(call)
      execute(call, 'caselsp.fixAll', { uri = vim.uri_from_bufnr(call.buffer) })
    end,
  },
  test = {
    does = 'write tests for this file or range',
    run = function(call)
      local last = { line = vim.api.nvim_buf_line_count(call.buffer), character = 0 }
      call.range = call.range or { start = { line = 0, character = 0 }, ['end'] = last }
      if require('caselsp.client').offers(call.client, 'caselsp.test') then
        return execute(call, 'caselsp.test', place(call, {}))
      end
      execute(call, 'caselsp.run', place(call, { task = 'Write tests for this. ' .. call.text }))
    end,
  },
  todo = {
    does = 'carry out the TODO or case: comment at the cursor',
    run = function(call)
      local row = vim.api.nvim_win_get_cursor(0)[1] - 1
      local here = { line = row, character = 0 }
      call.range = call.range or { start = here, ['end'] = { line = row + 1, character = 0 } }
      execute(call, 'caselsp.todo', place(call, {}))
    end,
  },
  thread = {
    does = 'show a thread of questions, or the list of them',
    run = function(call)
      execute(call, 'caselsp.thread', call.text ~= '' and { thread = call.text } or nil)
    end,
  },
  review = {
    does = 'decide about a result, hunk by hunk',
    complete = 'tasks',
    run = function(call)
      if call.words[1] then
        return require('caselsp.review').open(call.client, call.words[1])
      end
      require('caselsp.review').choose(call.client)
    end,
  },
  note = {
    does = 'write a note on the hunk at the cursor; or send the result back',
    complete = { 'send', 'withdraw' },
    run = function(call)
      require('caselsp.review').note(call.client, call.text ~= '' and call.text or nil)
    end,
  },
  accept = require('caselsp.decide').subcommand('caselsp.accept'),
  reject = require('caselsp.decide').subcommand('caselsp.reject'),
  next = {
    does = 'go to the next open hunk of this file',
    run = function()
      require('caselsp.pending').go(1)
    end,
  },
  previous = {
    does = 'go to the previous open hunk of this file',
    run = function()
      require('caselsp.pending').go(-1)
    end,
  },
  undo = {
    complete = 'tasks',
    run = function(call)
      require('caselsp.undo').run(call.client, call.words[1])
    end,
  },
  stop = {
    complete = 'tasks',
    run = function(call)
      require('caselsp.tasks').one(call.client, 'caselsp.stop', call.words[1], function(task)
        execute(call, 'caselsp.stop', { task = task })
      end)
    end,
  },
  resume = {
    does = 'go on with a task; the words behind its id say how',
    complete = 'tasks',
    run = function(call)
      local text = table.concat(call.words, ' ', 2)
      require('caselsp.tasks').one(call.client, 'caselsp.resume', call.words[1], function(task)
        execute(call, 'caselsp.resume', { task = task, text = text ~= '' and text or nil })
      end)
    end,
  },
  status = { does = 'show where the tasks are', complete = 'tasks', run = status },
  activity = of_task('caselsp.activity'),
  history = plain('caselsp.history'),
  metrics = plain('caselsp.metrics'),
  state = plain('caselsp.state'),
  report = of_task('caselsp.report'),
  memory = plain('caselsp.memory'),
  validators = plain('caselsp.validators'),
  approvals = plain('caselsp.approvals'),
  settings = plain('caselsp.settings'),
  doctor = plain('caselsp.doctor'),
  trust = {
    does = "trust this project's folder; with withdraw, not any more",
    complete = { 'withdraw' },
    run = function(call)
      execute(call, 'caselsp.trust', call.words[1] == 'withdraw' and { withdraw = true } or nil)
    end,
  },
  questions = {
    does = 'answer the open questions',
    run = function(call)
      require('caselsp.questions').open(call.buffer)
    end,
  },
  secret = {
    does = 'put a secret into the keyring, without showing it',
    run = function(call)
      with_text(call, 'Name of the secret: ', function(name)
        require('caselsp.secret').set(name)
      end)
    end,
  },
  log = {
    does = "show the end of the project's log",
    run = function(call)
      local command = { require('caselsp.config').get().cmd[1], 'logs', '--lines', '500' }
      vim.system(command, { cwd = call.client.config.root_dir, text = true }, function(result)
        vim.schedule(function()
          require('caselsp.text').show(vim.split(vim.trim(result.stdout .. result.stderr), '\n'), 'caselsp-log')
        end)
      end)
    end,
  },
  messages = {
    does = 'show all messages of this session',
    run = function()
      notice.list()
    end,
  },
  dismiss = {
    does = 'take the notices off the screen; nothing is decided',
    run = function()
      notice.drop()
    end,
  },
  restart = {
    does = "end the project's server and start it again",
    run = function(call)
      local client = require('caselsp.client').get(call.buffer)
      if not client then
        return require('caselsp.client').with(call.buffer, function() end)
      end
      local buffers = vim.tbl_keys(client.attached_buffers)
      require('caselsp.client').stop(client)
      local function again()
        if vim.lsp.get_client_by_id(client.id) then
          return vim.defer_fn(again, 100)
        end
        for _, buffer in ipairs(buffers) do
          if vim.api.nvim_buf_is_loaded(buffer) then
            require('caselsp.client').attach(buffer)
          end
        end
      end
      again()
    end,
  },
}

local does = {
  accept = 'accept the hunk at the cursor; or file, all, or a file by its name',
  reject = 'reject the hunk at the cursor; or file, all, or a file by its name',
  undo = 'take back what was accepted or rejected of a task',
  stop = 'stop a task; it can be resumed',
  activity = 'show what a task has done so far, kept current',
  history = 'list the tasks of this project',
  metrics = "show the figures of this project's tasks",
  state = 'show what is known of this project',
  report = 'show the report of a task',
  memory = 'show what is remembered of past tasks',
  validators = 'show the fix validators, to try, approve and remove them',
  approvals = 'show what is always allowed here, to revoke it',
  settings = 'show the settings that hold',
  doctor = 'check settings, model, sandbox and store',
}
for name, text in pairs(does) do
  M.subcommands[name].does = text
end

-- Of subcommands that need no server that runs.
local alone = { messages = true, dismiss = true, next = true, previous = true, secret = true, restart = true }

local function names()
  local list = vim.tbl_keys(M.subcommands)
  table.sort(list)
  return list
end

--- Carries out :Case; opts are those of a user command.
function M.run(opts)
  local name = opts.fargs[1]
  if not name then
    return require('caselsp.prompt').select(require('caselsp.list').sorted(names()), {
      prompt = 'CASE',
      kind = 'caselsp.command',
      list = true,
      format_item = function(item)
        return ('%-10s %s'):format(item, M.subcommands[item].does)
      end,
    }, function(chosen)
      if chosen then
        M.run({ fargs = { chosen }, range = opts.range, line1 = opts.line1, line2 = opts.line2 })
      end
    end)
  end
  local subcommand = M.subcommands[name]
  if not subcommand then
    return notice.show(require('caselsp.meant').text(opts.fargs, names()), vim.log.levels.ERROR)
  end
  local words = vim.list_slice(opts.fargs, 2)
  local call = { buffer = vim.api.nvim_get_current_buf(), words = words, text = table.concat(words, ' ') }
  if (opts.range or 0) > 0 then
    call.range = { start = { line = opts.line1 - 1, character = 0 }, ['end'] = { line = opts.line2, character = 0 } }
  end
  if alone[name] then
    return subcommand.run(call)
  end
  require('caselsp.client').with(call.buffer, function(client)
    call.client = client
    subcommand.run(call)
  end)
end

-- How long completion waits for the ids of tasks, in milliseconds: the server answers far sooner.
local taskTime = 500

--- The ids of the tasks that a command of the server can do something about; all where it cannot say. A review is only
--- of results.
local function tasks(command)
  local client = require('caselsp.client').get(vim.api.nvim_get_current_buf())
  local answer = client
    and require('caselsp.client').execute_sync(client, 'caselsp.status', { format = 'data' }, taskTime)
  local fitting, all = {}, {}
  for _, t in ipairs(answer and answer.tasks or {}) do
    table.insert(all, t.id)
    if vim.tbl_contains(t.can, command) and (command ~= 'caselsp.review' or #t.files > 0) then
      table.insert(fitting, t.id)
    end
  end
  return (#fitting > 0 or command == 'caselsp.review') and fitting or all
end

--- Completes subcommands, their words and ids of tasks.
function M.complete(lead, line)
  local words = vim.split(vim.trim(line:gsub("^[%d,.$%%'<>]*%s*Case!?", '', 1)), '%s+', { trimempty = true })
  if lead ~= '' then
    table.remove(words)
  end
  local list = {}
  if #words == 0 then
    list = names()
  else
    local subcommand = M.subcommands[words[1]]
    local kind = subcommand and #words == 1 and subcommand.complete
    if kind == 'tasks' then
      list = tasks('caselsp.' .. words[1])
    elseif kind then
      list = type(kind) == 'function' and kind() or kind
    end
  end
  return vim.tbl_filter(function(item)
    return vim.startswith(item, lead)
  end, list)
end

function M.define()
  vim.api.nvim_create_user_command('Case', M.run, {
    nargs = '*',
    range = true,
    desc = 'caselsp: tasks, questions and reviews',
    complete = function(lead, line)
      return M.complete(lead, line)
    end,
  })
end

return M
