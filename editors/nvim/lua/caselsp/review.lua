--- The result of a task in a floating window, decided hunk by hunk.
local config = require('caselsp.config')
local keys = require('caselsp.keys')
local notice = require('caselsp.notice')
local page = require('caselsp.page')
local reading = require('caselsp.reading')

local M = {}

local namespace = vim.api.nvim_create_namespace('caselsp.review')

-- The one review that is open: { client, task, data, buffer, window, heads, readable }. heads are those of its page;
-- readable is when one can have read it.
local shown

local function head_at(line)
  local found
  for _, head in ipairs(shown.heads) do
    if head.line <= line then
      found = head
    end
  end
  return found
end

local function current()
  return head_at(vim.api.nvim_win_get_cursor(shown.window)[1])
end

local function id_of(head)
  return head.hunk and head.hunk.id or (head.file.kept or '') .. ':' .. head.file.path
end

--- Puts the cursor on a line, and scrolls so far that what belongs to it is seen: all of a hunk, or what fits.
local function reveal(line)
  vim.api.nvim_win_set_cursor(shown.window, { line, 0 })
  local last = vim.api.nvim_buf_line_count(shown.buffer)
  for i = #shown.heads, 1, -1 do
    local head = shown.heads[i]
    if head.line > line then
      last = math.min(last, head.line - (head.hunk and 1 or 2)) -- a blank line stands above a file
    end
  end
  vim.api.nvim_win_call(shown.window, function()
    if vim.fn.line('w$') < last then
      vim.api.nvim_win_set_cursor(0, { last, 0 })
      vim.cmd.normal({ 'zb', bang = true })
    end
    local longer = vim.fn.line('w0') > line
    vim.api.nvim_win_set_cursor(0, { line, 0 })
    if longer then
      vim.cmd.normal({ 'zt', bang = true })
    end
  end)
end

local function draw()
  local p = page.of(shown.data)
  local before, line = nil, 1
  if shown.heads then
    line = vim.api.nvim_win_get_cursor(shown.window)[1]
    before = shown.goal or head_at(line) and id_of(head_at(line))
    shown.goal = nil
  end
  vim.bo[shown.buffer].modifiable = true
  vim.api.nvim_buf_set_lines(shown.buffer, 0, -1, true, p.lines)
  vim.bo[shown.buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(shown.buffer, namespace, 0, -1)
  for _, g in ipairs(p.groups) do
    vim.api.nvim_buf_set_extmark(
      shown.buffer,
      namespace,
      g[1] - 1,
      0,
      { end_row = g[1], hl_group = g[2], hl_eol = true }
    )
  end
  local first = not shown.heads
  shown.heads = p.heads
  local at = vim.iter(p.heads):find(function(head)
    return first and head.hunk and head.open or not first and id_of(head) == before
  end)
  reveal(at and at.line or math.min(line, #p.lines))
end

--- Goes to the next hunk, or with -1 to the previous one; open says to those that are not decided.
local function go(direction)
  local line, found = vim.api.nvim_win_get_cursor(shown.window)[1], nil
  for i = 1, #shown.heads do
    local head = shown.heads[direction > 0 and i or #shown.heads + 1 - i]
    local decidable = head.hunk or head.file.whole
    if not found and decidable and (direction > 0 and head.line > line or direction < 0 and head.line < line) then
      found = head
    end
  end
  if found then
    reveal(found.line)
  end
end

--- Which hunk comes after one that is decided now.
local function goal(from)
  local after, before
  for _, head in ipairs(shown.heads) do
    if head.open and (head.hunk or head.file.whole) and head ~= from then
      if head.line > from.line then
        after = after or head
      else
        before = before or head
      end
    end
  end
  local head = after or before
  return head and id_of(head)
end

--- Sends a decision about the hunk at the cursor, its file, or all.
local function decide(command, scope)
  local head = current()
  local arguments = { task = shown.task }
  if scope ~= 'all' then
    if not head then
      return notice.show('The cursor is on no hunk. ' .. keys.say('next', 'goes to the next one.'))
    end
    arguments.file, arguments.kept = head.file.path, head.file.kept
    if scope == 'hunk' and head.hunk then
      arguments.hunk = head.hunk.hunk
    elseif scope == 'hunk' and not head.file.whole then
      return notice.show('The cursor is on a file, not on a hunk.')
    end
    shown.goal = goal(head)
  end
  require('caselsp.client').execute(shown.client, command, arguments)
end

local function close()
  keys.close()
  local review = shown
  shown = nil
  if review and vim.api.nvim_win_is_valid(review.window) then
    vim.api.nvim_win_close(review.window, true)
  end
end

--- Shows the place of a hunk in the user's file.
local function open_place()
  local head = current()
  if not head then
    return
  end
  local hunk = head.hunk or head.file.hunks[1]
  local uri = head.file.fromUri or head.file.uri
  local line = hunk and type(hunk.range) == 'table' and hunk.range.start.line or 0
  close()
  vim.cmd.edit(vim.fn.fnameescape(vim.uri_to_fname(uri)))
  vim.api.nvim_win_set_cursor(0, { math.min(line + 1, vim.api.nvim_buf_line_count(0)), 0 })
end

--- What a head is, in words.
local function words_of(head)
  if not head then
    return 'the whole result'
  end
  local file = head.file.path
  return head.hunk and ('hunk %d of %s'):format(head.hunk.hunk, file) or file
end

--- Writes a note on a place of a result; the server keeps it with the result. place has client, task, file and
--- hunk, old the note that is there. Without a text the user is asked for one; an empty one withdraws the note.
local function keep(place, what, old, text)
  local function answered(said)
    if not said then
      return
    end
    said = vim.trim(said)
    local arguments = { task = place.task, file = place.file, hunk = place.hunk }
    if said ~= '' then
      arguments.text = said
    elseif old then
      arguments.withdraw = true
    else
      return
    end
    require('caselsp.client').execute(place.client, 'caselsp.note', arguments)
  end
  if text then
    return answered(text)
  end
  vim.ui.input({ prompt = ('What should be different in %s? '):format(what), default = old or '' }, answered)
end

--- Writes a note on what is at the cursor of the review: a hunk, a file, or above them all of the result.
local function note(text)
  local head = current()
  if head and head.file.kept then
    return notice.show('Kept work is no part of the result and takes no note. :Case resume TASK TEXT tries it again.')
  end
  local file, hunk = head and head.file.path, head and head.hunk and head.hunk.hunk
  local old = page.notes_on(shown.data, file, hunk)[1]
  keep({ client = shown.client, task = shown.task, file = file, hunk = hunk }, words_of(head), old and old.text, text)
end

--- Sends the result back with all notes, as one correction of the same task.
local function send()
  if #(shown.data.notes or {}) == 0 then
    return notice.show('There are no notes yet. ' .. keys.say('note', 'writes one.'))
  end
  local review = shown
  require('caselsp.client').execute(shown.client, 'caselsp.note', { task = shown.task, send = true }, function()
    if review == shown then
      close()
    end
    notice.show('The result went back with your notes. The next review shows what came of them.')
  end)
end

local actions = {
  next = function()
    go(1)
  end,
  previous = function()
    go(-1)
  end,
  undo = function()
    require('caselsp.undo').take_back(shown.client, shown.data)
  end,
  note = function()
    note()
  end,
  send = send,
  open = open_place,
  close = close,
}

for what, scope in pairs({ [''] = 'hunk', _file = 'file', _all = 'all' }) do
  for _, verb in ipairs({ 'accept', 'reject' }) do
    actions[verb .. what] = function()
      decide('caselsp.' .. verb, scope)
    end
  end
end

--- Carries out what a key of the review means.
local function run(name, looks)
  if shown and (looks or not reading.early(shown.readable)) then
    actions[name]()
  end
end

function actions.help()
  keys.show(run)
end

local function window_config(title)
  local width = math.max(math.min(vim.o.columns - 4, 120), 20)
  local height = math.max(vim.o.lines - 6, 5)
  return {
    relative = 'editor',
    width = width,
    height = height,
    row = math.max((vim.o.lines - height) / 2 - 1, 0),
    col = (vim.o.columns - width) / 2,
    border = config.get().review.border,
    title = ' ' .. title .. ' ',
    footer = config.get().review.border ~= 'none' and keys.line(width) or nil,
    style = 'minimal',
  }
end

local function open_window(client, data)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.b[buffer].caselsp_root = client.config.root_dir
  pcall(vim.api.nvim_buf_set_name, buffer, 'caselsp-review://' .. data.task)
  local window = vim.api.nvim_open_win(buffer, true, window_config('CASE: review of ' .. data.task))
  vim.wo[window].cursorline, vim.wo[window].wrap, vim.wo[window].linebreak = true, true, true
  vim.wo[window].breakindent, vim.wo[window].breakindentopt = true, 'shift:2'
  vim.wo[window].scrolloff = 0 -- a hunk may begin in the first row
  shown = { client = client, task = data.task, data = data, buffer = buffer, window = window }
  shown.readable = reading.from()
  keys.map(buffer, run)
  vim.bo[buffer].filetype = 'caselsp-review'
  notice.make_room()
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    callback = function()
      if shown and shown.buffer == buffer then
        shown = nil
      end
      vim.schedule(keys.close)
    end,
  })
  draw()
end

--- When one can have read the review that is open; nil where none is.
function M.readable()
  return shown and shown.readable
end

--- Opens the review of a task, or of the one whose result waits.
---@param client vim.lsp.Client
---@param task string|nil
function M.open(client, task)
  require('caselsp.events').review(client, task, function(data)
    if not data then
      return notice.show('No result waits for a review.')
    elseif not reading.may('the review. :Case review shows it.') then
      return
    end
    close()
    open_window(client, data)
  end)
end

--- Opens the review of the result that waits; where more than one does, of the one that the user chooses by its title.
--- Where none does, that of a decided one of which an undo in the text took something out.
---@param client vim.lsp.Client
function M.choose(client)
  require('caselsp.events').status(client, nil, function(tasks)
    local waiting = vim.tbl_filter(function(task)
      return task.state == 'review'
    end, tasks)
    if #waiting < 2 then
      return M.open(client, waiting[1] and waiting[1].id or next(require('caselsp.events').of(client).undone))
    end
    require('caselsp.tasks').choose('Which result?', waiting, function(task)
      M.open(client, task)
    end)
  end)
end

--- :Case note: in the review on what is at the cursor, in the user's file on the open hunk there. The word "send"
--- sends the result back, "withdraw" drops the note.
---@param client vim.lsp.Client
---@param text string|nil
function M.note(client, text)
  local here = shown and vim.api.nvim_get_current_buf() == shown.buffer
  if text == 'send' then
    if here then
      return send()
    end
    return require('caselsp.client').execute(client, 'caselsp.note', { send = true })
  end
  text = text == 'withdraw' and '' or text
  if here then
    return note(text)
  end
  local hunk = require('caselsp.pending').at_cursor()
  if not hunk then
    return notice.show(
      'No open hunk is here. :Case next goes to one, :Case review shows the whole result.',
      vim.log.levels.WARN
    )
  end
  local data = require('caselsp.events').of(client).reviews[hunk.task]
  local old = data and page.notes_on(data, hunk.file, hunk.hunk)[1]
  keep(
    { client = client, task = hunk.task, file = hunk.file, hunk = hunk.hunk },
    'this hunk',
    old and old.text,
    text
  )
end

--- Takes over what has changed of the review that is open.
function M.refresh(client)
  local now = shown and shown.client.id == client.id and require('caselsp.events').of(client).latest
  if now and now.task == shown.task and now ~= shown.data then
    shown.data = now
    draw()
  end
end

return M
