--- Open hunks in the user's own files: a sign at what a hunk would replace, and its new lines below.
local config = require('caselsp.config')

local M = {}

local namespace = vim.api.nvim_create_namespace('caselsp.pending')

-- What is marked, by buffer and extmark: { client, task, file, hunk, kept, rows, insertion }; rows are its new lines,
-- insertion says that they replace none.
local marked = {} ---@type table<integer, table<integer, table>>

local function row_of(buffer, mark)
  local place = vim.api.nvim_buf_get_extmark_by_id(buffer, namespace, mark, { details = true })
  return place[1], place[3] and place[3].end_row or place[1]
end

--- The open hunks of a buffer with their rows as they are now, from the top.
function M.list(buffer)
  buffer = buffer == 0 and vim.api.nvim_get_current_buf() or buffer
  local list = {}
  for mark, hunk in pairs(marked[buffer] or {}) do
    local first, last = row_of(buffer, mark)
    if first then
      table.insert(list, vim.tbl_extend('force', hunk, { first = first, last = math.max(first, last - 1) }))
    end
  end
  table.sort(list, function(a, b)
    return a.first < b.first
  end)
  return list
end

--- The open hunk at the cursor; nil where there is none. Lines that are inserted belong to the line before them, too.
function M.at_cursor()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local list = M.list(vim.api.nvim_get_current_buf())
  return vim.iter(list):find(function(hunk)
    return hunk.first <= row and row <= hunk.last
  end) or vim.iter(list):find(function(hunk)
    return hunk.insertion and hunk.first == row + 1
  end)
end

--- Scrolls so that all of a hunk is seen, with its new lines, or what fits of it, from its first line.
local function reveal(hunk)
  local window, height = vim.api.nvim_get_current_win(), vim.api.nvim_win_get_height(0)
  local top = vim.fn.win_screenpos(window)[1]
  local function row_of_line(line)
    return vim.fn.screenpos(window, line, 1).row - top -- below 0: it is not on the screen
  end
  local rows = config.get().pending.lines and hunk.rows or 0
  vim.cmd.redraw()
  if hunk.insertion then
    local line = vim.api.nvim_win_get_cursor(0)[1]
    if rows >= height and hunk.first > 0 then
      vim.api.nvim_win_set_cursor(0, { hunk.first, 0 })
      vim.fn.winrestview({ topline = hunk.first, topfill = 0 })
    elseif row_of_line(line) < rows then
      vim.fn.winrestview({ topline = line, topfill = math.min(rows, height - 1) })
    end
    return
  end
  local last = row_of_line(hunk.last + 1)
  if row_of_line(hunk.first + 1) < 0 or last < 0 or last + rows >= height then
    vim.fn.winrestview({ topline = hunk.first + 1, topfill = 0 })
  end
end

--- Puts the cursor of the current window on a hunk.
local function visit(hunk)
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { math.min(hunk.first + 1, vim.api.nvim_buf_line_count(0)), 0 })
  reveal(hunk)
end

local function same(a, b)
  return a.task == b.task and a.file == b.file and a.hunk == b.hunk
end

local goal -- where the cursor goes when a hunk is decided: { buffer, hunk, wanted, stays }

--- A decision about a hunk of a buffer is sent. When it is made, the cursor goes to the next hunk that is open, around
--- the end, unless the user types or has gone elsewhere meanwhile. It stays where the decision is refused.
function M.after(buffer, hunk)
  local list = M.list(buffer)
  local wanted
  for i, other in ipairs(list) do
    if same(other, hunk) and #list > 1 then
      wanted = list[i % #list + 1]
    end
  end
  local window = vim.api.nvim_get_current_win()
  local function stays()
    if vim.api.nvim_get_current_win() ~= window or vim.api.nvim_get_current_buf() ~= buffer then
      return false
    end
    local row = vim.api.nvim_win_get_cursor(0)[1] - 1
    local last = math.max(hunk.last, hunk.first + hunk.rows) -- with its new lines
    return vim.api.nvim_get_mode().mode == 'n' and hunk.first - 1 <= row and row <= last
  end
  goal = wanted and { buffer = buffer, hunk = hunk, wanted = wanted, stays = stays } or nil
end

--- Goes on from a hunk of a buffer that is decided now.
local function onward(buffer)
  local list = M.list(buffer)
  local function there(hunk)
    return vim.iter(list):find(function(other)
      return same(other, hunk)
    end)
  end
  if not goal or goal.buffer ~= buffer or there(goal.hunk) then
    return
  end
  local next_one = goal.stays() and there(goal.wanted)
  goal = nil
  if next_one then
    visit(next_one)
  end
end

--- Puts the cursor on the next open hunk, or with -1 on the previous one; around the ends.
function M.go(direction)
  local list = M.list(vim.api.nvim_get_current_buf())
  if #list == 0 then
    return require('caselsp.notice').show('No hunk of this file is undecided. :Case review shows the whole result.')
  end
  local here, found = M.at_cursor(), nil
  local row = math.max(vim.api.nvim_win_get_cursor(0)[1] - 1, here and here.first or 0)
  for i = 1, #list do
    local hunk = list[direction > 0 and i or #list + 1 - i]
    if not found and (direction > 0 and hunk.first > row or direction < 0 and hunk.first < row) then
      found = hunk
    end
  end
  visit(found or list[direction > 0 and 1 or #list])
end

local actions = {
  next = function()
    M.go(1)
  end,
  previous = function()
    M.go(-1)
  end,
  accept = function()
    require('caselsp.command').run({ fargs = { 'accept' }, range = 0 })
  end,
  reject = function()
    require('caselsp.command').run({ fargs = { 'reject' }, range = 0 })
  end,
  note = function()
    require('caselsp.command').run({ fargs = { 'note' }, range = 0 })
  end,
}

--- Defines the keys in a buffer that has open hunks, and removes them from one that has none any more.
--- What the user has mapped stays; a key that they have configured works where it is mapped in all buffers, too: Neovim
--- itself maps some.
local function map(buffer)
  local has = next(marked[buffer] or {}) ~= nil
  for name, key in pairs(config.get().pending.keys) do
    if key ~= '' then
      local now = vim.api.nvim_buf_call(buffer, function()
        return vim.fn.maparg(key, 'n', false, true)
      end)
      local ours = now.desc == 'caselsp: ' .. name
      local chosen = key ~= config.defaults.pending.keys[name]
      if has and (vim.tbl_isempty(now) or chosen and now.buffer == 0) then
        vim.keymap.set('n', key, actions[name], { buffer = buffer, desc = 'caselsp: ' .. name })
      elseif not has and ours then
        vim.keymap.del('n', key, { buffer = buffer })
      end
    end
  end
end

--- Marks one hunk.
local function mark(buffer, hunk, file)
  local count = vim.api.nvim_buf_line_count(buffer)
  local first = math.min(hunk.range.start.line, count - 1)
  local last = math.min(math.max(hunk.range['end'].line, first), count)
  local lines = {}
  if config.get().pending.lines then
    for _, line in ipairs(hunk.new) do
      local text = (line:gsub('[\r\n]+$', ''))
      table.insert(lines, { { '+ ' .. text:gsub('\t', '    '), 'CaselspAdded' } })
    end
  end
  local insertion = last == first
  local id = vim.api.nvim_buf_set_extmark(buffer, namespace, first, 0, {
    end_row = last,
    end_col = 0,
    strict = false,
    hl_group = not insertion and 'CaselspRemoved' or nil,
    hl_eol = not insertion,
    invalidate = false,
    -- Else an undo moves the mark that has this number by now, perhaps another hunk's, to where an earlier one was.
    undo_restore = false,
  })
  vim.api.nvim_buf_set_extmark(buffer, namespace, first, 0, { -- on the rows of the hunk: its mark ends in the row below
    end_row = math.max(last - 1, first),
    strict = false,
    sign_text = hunk.state == 'conflict' and '!' or '┃',
    sign_hl_group = 'CaselspSign',
    undo_restore = false,
  })
  if #lines > 0 then
    vim.api.nvim_buf_set_extmark(buffer, namespace, insertion and first or last - 1, 0, {
      virt_lines = lines,
      virt_lines_above = insertion,
      undo_restore = false,
    })
  end
  local number = hunk.hunk > 0 and hunk.hunk or nil
  return id, { file = file.path, hunk = number, kept = file.kept, rows = #hunk.new, insertion = insertion }
end

--- Whether the text has what a hunk would make of it: an undo in the text brought it again, or the user wrote the same.
local function made(buffer, hunk)
  local now = vim.api.nvim_buf_get_lines(buffer, hunk.range.start.line, hunk.range['end'].line, false)
  local function plain(lines)
    return vim.tbl_map(function(line)
      return (line:gsub('[\r\n]+$', ''))
    end, lines)
  end
  return vim.deep_equal(now, plain(hunk.new)) and not vim.deep_equal(plain(hunk.new), plain(hunk.old))
end

--- Shows what is open in one buffer.
local function draw(client, buffer)
  vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
  local list, uri = {}, vim.uri_from_bufnr(buffer)
  for task, review in pairs(require('caselsp.events').of(client).reviews) do
    for _, file in ipairs(review.files) do
      for _, hunk in ipairs((file.uri == uri or file.fromUri == uri) and not file.kept and file.hunks or {}) do
        local open = hunk.state == 'pending' or hunk.state == 'conflict'
        if open and type(hunk.range) == 'table' and not made(buffer, hunk) then
          local id, what = mark(buffer, hunk, file)
          list[id] = vim.tbl_extend('error', what, { client = client.id, task = task })
        end
      end
    end
  end
  marked[buffer] = next(list) and list or nil
  map(buffer)
  onward(buffer)
end

--- Shows what is open in the buffers of a client.
function M.refresh(client)
  for _, buffer in ipairs(vim.tbl_keys(client.attached_buffers)) do
    if vim.api.nvim_buf_is_loaded(buffer) and not require('caselsp.client').is_document(buffer) then
      draw(client, buffer)
    end
  end
end

--- Takes the marks of a client away.
function M.clear(client_id)
  for buffer, list in pairs(marked) do
    local _, first = next(list)
    if first and first.client == client_id then
      marked[buffer] = nil
      if vim.api.nvim_buf_is_valid(buffer) then
        vim.api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
        map(buffer)
      end
    end
  end
end

--- Defines the keys again, after a change of the configuration.
function M.keys()
  for buffer in pairs(marked) do
    map(buffer)
  end
end

--- Shows open hunks in files that are opened later.
function M.watch()
  local group = vim.api.nvim_create_augroup('caselsp.pending', {})
  vim.api.nvim_create_autocmd('LspAttach', {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == require('caselsp.client').name then
        for task in pairs(require('caselsp.events').of(client).reviews) do
          require('caselsp.events').review(client, task) -- where the hunks are in this text
        end
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    callback = function(event)
      marked[event.buf] = nil
    end,
  })
  for name, run in pairs(actions) do
    vim.keymap.set('n', ('<Plug>(caselsp-%s)'):format(name), run, { desc = 'caselsp: ' .. name })
  end
  vim.keymap.set('n', '<Plug>(caselsp-questions)', function()
    require('caselsp.questions').open(vim.api.nvim_get_current_buf())
  end, { desc = 'caselsp: answer the open questions' })
end

return M
