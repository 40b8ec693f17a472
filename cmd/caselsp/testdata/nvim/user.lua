-- The user of the scenarios: one who starts tasks, reads what Neovim shows, answers
-- prompts and types. Everything that is shown goes into a transcript, which the
-- test prints when a scenario fails.
--
-- Nothing here waits for a time: each step waits for what must become true, with a
-- ceiling that only a fault reaches.

local user = {
  messages = {}, -- of vim.notify: { text, level }
  progress = {}, -- the values of LspProgress, in order
  prompts = {}, -- of vim.ui.select that are not answered yet
  warnings = { 'Nothing happens until you answer' }, -- parts of the warnings and errors that belong to the scenario
}

-- The slowest thing that is waited for is a container on a busy machine.
local ceiling = 60000

local transcript = assert(io.open(os.getenv('SCENARIO_TRANSCRIPT'), 'w'))

function user.note(...)
  transcript:write(table.concat({ ... }, ' '), '\n')
  transcript:flush()
end

-- What Neovim would show, and the answers that a hand would give.

local notify = vim.notify
function vim.notify(text, level, opts)
  table.insert(user.messages, { text = text, level = level or vim.log.levels.INFO })
  user.note('message:', text)
  return notify(text, level, opts)
end

function vim.ui.select(items, opts, on_choice)
  local titles = {}
  for i, item in ipairs(items) do
    titles[i] = opts.format_item and opts.format_item(item) or tostring(item)
  end
  user.note('prompt:', opts.prompt or '', '[' .. table.concat(titles, ' | ') .. ']')
  table.insert(user.prompts, { text = opts.prompt or '', kind = opts.kind, items = items, titles = titles, on_choice = on_choice })
end

-- Nothing that caselsp does may ask like this: the default answer is Yes.
function vim.fn.confirm(text)
  error('asked in the command line: ' .. text)
end

vim.api.nvim_create_autocmd('LspProgress', {
  callback = function(event)
    local value = event.data.params.value
    table.insert(user.progress, value)
    user.note('progress:', value.kind, value.title or '', value.message or '')
  end,
})

-- A warning or an error that the scenario does not foresee; nil for none.
local function unforeseen()
  return vim.iter(user.messages):find(function(m)
    return m.level >= vim.log.levels.WARN and not vim.iter(user.warnings):any(function(part)
      return m.text:find(part, 1, true)
    end)
  end)
end

-- user.see waits until condition returns something, and returns that. It does not
-- wait on when something went wrong.
function user.see(what, condition)
  local found, wrong
  local heard, since = 0, vim.uv.now() -- the server that goes on telling what it does is slow, not stuck
  vim.wait(10 * ceiling, function()
    if #user.messages + #user.progress > heard then
      heard, since = #user.messages + #user.progress, vim.uv.now()
    end
    found, wrong = condition(), unforeseen()
    return found or wrong or vim.uv.now() - since > ceiling
  end, 20)
  if not found then
    error(('never seen: %s. %s'):format(what, wrong and 'Instead: ' .. wrong.text or 'It was waited for long enough.'), 2)
  end
  return found
end

-- user.held waits until the model holds the answer to a request, the n-th that it holds: the task waits for it.
function user.held(n)
  user.see('answer ' .. n .. ' held by the model', function()
    local file = io.open(os.getenv('SCENARIO_HELD'))
    local count = file and tonumber(file:read('a')) or 0
    if file then file:close() end
    return count >= n
  end)
end

-- user.same fails unless a text is as it should be.
function user.same(what, got, want)
  if got ~= want then
    error(('%s\n got %s\nwant %s\n%s'):format(what, vim.inspect(got), vim.inspect(want),
      type(got) == 'string' and (vim.text and vim.text.diff or vim.diff)(want, got) or ''), 2)
  end
end

-- user.open edits a file and waits for the server's attachment.
function user.open(path)
  vim.cmd.edit(path)
  return user.see('caselsp attached to ' .. path, user.client)
end

function user.client()
  return vim.lsp.get_clients({ bufnr = 0, name = 'caselsp' })[1]
end

-- user.text is what a buffer holds, as it would be written.
function user.text(path)
  local buffer = vim.fn.bufnr(vim.fn.fnamemodify(path, ':p'))
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n') .. '\n'
end

-- user.disk is the content of a file; nil if it does not exist.
function user.disk(path)
  local file = io.open(path, 'rb')
  if not file then
    return nil
  end
  local text = file:read('a')
  file:close()
  return text
end

-- user.prompt waits for a prompt whose text has a part (plain) and takes it.
function user.prompt(part)
  return user.see('a prompt with ' .. part, function()
    for i, p in ipairs(user.prompts) do
      if p.text:find(part, 1, true) then
        return table.remove(user.prompts, i)
      end
    end
  end)
end

-- user.pick answers a prompt with the choice whose title has a part (plain).
function user.pick(prompt, part)
  for i, title in ipairs(prompt.titles) do
    if title:find(part, 1, true) then
      user.note('picked:', title)
      prompt.on_choice(prompt.items[i], i)
      return
    end
  end
  error(('%q is not among %s'):format(part, vim.inspect(prompt.titles)), 2)
end

-- user.dismiss closes a prompt without a choice.
function user.dismiss(prompt)
  user.note('dismissed:', prompt.text)
  prompt.on_choice(nil, nil)
end

-- user.action runs the code action at the cursor whose title has a part.
function user.action(part)
  vim.lsp.buf.code_action()
  user.pick(user.prompt('Code actions'), part)
end

-- user.actions lists the titles of the code actions at the cursor.
function user.actions()
  vim.lsp.buf.code_action()
  local prompt = user.prompt('Code actions')
  user.dismiss(prompt)
  return prompt.titles
end

-- user.command runs a command of the server and returns its answer, which must
-- come at once: editors block on it.
function user.command(id, ...)
  local answered, failed, result
  local client = user.client() or vim.lsp.get_clients({ name = 'caselsp' })[1]
  client:exec_cmd({ title = id, command = id, arguments = { ... } }, {}, function(err, answer)
    answered, failed, result = true, err, answer
  end)
  user.note('command:', id, vim.inspect({ ... }, { newline = '', indent = '' }))
  assert(vim.wait(5000, function() return answered end, 10), id .. ' is not answered')
  if failed then
    error(id .. ': ' .. failed.message, 2)
  end
  return result
end

-- user.told waits for a message that has a part.
function user.told(part)
  return user.see('a message with ' .. part, function()
    for _, m in ipairs(user.messages) do
      if m.text:find(part, 1, true) then
        return m
      end
    end
  end)
end

-- user.asked waits for a question whose message has a part (plain), reads it as fast as one
-- can and returns it: what comes sooner is no answer. Neovim's prompts would take the keys
-- that are being typed, so it is only told.
function user.asked(part)
  local text = user.see('a question with ' .. part, function()
    for _, m in ipairs(user.messages) do
      if not m.taken and m.text:find('Nothing happens until you answer', 1, true) and m.text:find(part, 1, true) then
        m.taken = true
        return m.text
      end
    end
  end)
  vim.wait(500)
  return text
end

-- user.shown waits until a document whose name has a part is in a window, and
-- goes there.
function user.shown(part)
  local window = user.see('a window of ' .. part, function()
    for _, w in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(w)):find(part, 1, true) then
        return w
      end
    end
  end)
  vim.api.nvim_set_current_win(window)
  user.see('caselsp attached to ' .. part, user.client)
end

-- user.go puts the cursor on the first line of the current buffer that has a part.
function user.go(part)
  for i, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
    local at = line:find(part, 1, true)
    if at then
      vim.api.nvim_win_set_cursor(0, { i, at - 1 })
      return
    end
  end
  error(('%q is not in %s:\n%s'):format(part, vim.api.nvim_buf_get_name(0),
    table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')), 2)
end

-- user.type runs keys as if they were typed.
function user.type(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'tx', false)
end

-- clean fails where Neovim has shown what no user should see.
local function clean()
  local wrong = unforeseen()
  if wrong then
    error('an unexpected warning: ' .. wrong.text)
  end
  if #user.prompts > 0 then
    error('an unexpected prompt: ' .. user.prompts[1].text)
  end
  user.same('v:errmsg', vim.v.errmsg, '')
end

-- The scenario begins when Neovim is up, outside of every autocommand: those that
-- it causes would not run inside one.
local function run()
  local ok, why = xpcall(function()
    if os.getenv('SCENARIO_WORDS') then -- more words, for the plugin
      assert(loadfile(os.getenv('SCENARIO_WORDS')))(user)
    end
    assert(loadfile(os.getenv('SCENARIO')))(user)
    clean()
  end, debug.traceback)
  user.note(':messages\n' .. vim.api.nvim_exec2('messages', { output = true }).output)
  local result = assert(io.open(os.getenv('SCENARIO_RESULT'), 'w'))
  result:write(ok and 'passed' or why)
  result:close()
  vim.cmd('qall!')
end

vim.api.nvim_create_autocmd('VimEnter', { callback = vim.schedule_wrap(run) })
