--- The keys of the review window: which they are, their list, and the line of them below the review.
local config = require('caselsp.config')

local M = {}

-- What the keys do, in the order of their list. Those that only look do so at once; the others not before the review
-- can have been read.
local order = {
  { 'next', 'next hunk', looks = true },
  { 'previous', 'previous hunk', looks = true },
  { 'accept', 'accept this hunk' },
  { 'reject', 'reject this hunk' },
  { 'accept_file', 'accept this file' },
  { 'reject_file', 'reject this file' },
  { 'accept_all', 'accept all that is undecided' },
  { 'reject_all', 'reject all that is undecided' },
  { 'undo', 'take all decisions back' },
  { 'note', 'write a note on this hunk, file or result' },
  { 'send', 'send the result back: CASE does what the notes say' },
  { 'open', 'show the place in the file' },
  { 'help', 'this list', looks = true },
  { 'close', 'close; nothing is decided', looks = true },
}

--- The keys by what they do: lists. A key of pending.keys means in the review what it means in the user's file, so that
--- one that decides about a hunk there never decides about more here.
function M.of()
  local own, there = config.get().review.keys, config.get().pending.keys
  local function taken(name, key)
    return vim.iter(pairs(there)):any(function(other, theirs)
      return theirs ~= '' and other ~= name and vim.startswith(vim.keycode(theirs), vim.keycode(key))
    end)
  end
  local keys = {}
  for _, action in ipairs(order) do
    local name = action[1]
    local key, also = own[name], there[name] or ''
    keys[name] = key ~= '' and not taken(name, key) and { key } or {}
    if also ~= '' and also ~= keys[name][1] then
      table.insert(keys[name], also)
    end
  end
  return keys
end

--- A text that names the key of an action; without a key only that there is none.
function M.say(name, text)
  local key = M.of()[name][1]
  return key and key .. ' ' .. text or ('No key %s (review.keys.%s).'):format(text:gsub('%.$', ''), name)
end

--- Defines the keys in a buffer; run is called with the name of the action, and with whether it only looks.
local function map(buffer, run)
  local keys = M.of()
  for _, action in ipairs(order) do
    for _, key in ipairs(keys[action[1]]) do
      vim.keymap.set('n', key, function()
        run(action[1], action.looks)
      end, { buffer = buffer, nowait = true, desc = 'caselsp: ' .. action[2] })
    end
  end
end

M.map = map

local list -- the window of the list of keys, while it is on the screen

--- Closes the list of keys.
function M.close()
  local window = list
  list = nil
  if window and vim.api.nvim_win_is_valid(window) then
    vim.api.nvim_win_close(window, true)
  end
end

local function lines_of()
  local keys, first, lines = M.of(), 6, {}
  for _, action in ipairs(order) do
    first = math.max(first, #table.concat(keys[action[1]], ' ') + 2)
  end
  for _, action in ipairs(order) do
    if #keys[action[1]] > 0 then
      table.insert(lines, ('%-' .. first .. 's%s'):format(table.concat(keys[action[1]], ' '), action[2]))
    end
  end
  return lines
end

--- Shows the list of keys over the review, which is the current window. The list has the focus: q and <Esc> close it,
--- and a key of the review closes it and does what it means there.
function M.show(run)
  M.close()
  local review, lines, width = vim.api.nvim_get_current_win(), lines_of(), 10
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].modifiable = false
  width = math.min(width, math.max(vim.o.columns - 2, 1))
  local height = math.max(math.min(#lines, vim.o.lines - vim.o.cmdheight - 3), 1)
  list = vim.api.nvim_open_win(buffer, true, {
    relative = 'editor',
    row = math.max(math.floor((vim.o.lines - vim.o.cmdheight - height) / 2) - 1, 0),
    col = math.max(math.floor((vim.o.columns - width) / 2) - 1, 0),
    width = width,
    height = height,
    style = 'minimal',
    border = 'rounded',
    title = ' Keys of the review ',
    footer = ' q closes this list ',
    zindex = 70, -- over the notices
  })
  local function back()
    M.close()
    if vim.api.nvim_win_is_valid(review) then
      vim.api.nvim_set_current_win(review)
    end
  end
  map(buffer, function(name, looks)
    back()
    if name ~= 'help' and name ~= 'close' then
      run(name, looks)
    end
  end)
  for _, key in ipairs({ 'q', '<Esc>', '<C-c>' }) do
    vim.keymap.set('n', key, back, { buffer = buffer, nowait = true, desc = 'caselsp: close the list of keys' })
  end
  vim.api.nvim_create_autocmd('WinLeave', { buffer = buffer, once = true, callback = vim.schedule_wrap(M.close) })
end

--- The keys in one line of at most so many cells; nil where they do not fit. Those that are left out are in the list of
--- keys.
function M.line(width)
  local keys = M.of()
  local function without(left_out)
    local parts = {}
    for _, part in ipairs({
      { 'accept', 'reject', text = 'accept/reject' },
      { 'accept_file', 'reject_file', text = 'file' },
      { 'accept_all', 'reject_all', text = 'all' },
      { 'note', text = 'note' },
      { 'send', text = 'send' },
      { 'undo', text = 'undo' },
      { 'close', text = 'close' },
      { 'help', text = 'keys' },
    }) do
      local own = vim.iter({ part[1], part[2] }):map(function(name)
        return keys[name][1]
      end)
      local both = own:join('/')
      if not vim.tbl_contains(left_out, part[1]) and both ~= '' then
        table.insert(parts, both .. ' ' .. part.text)
      end
    end
    return ' ' .. table.concat(parts, '  ') .. ' '
  end
  for _, left_out in ipairs({ {}, { 'close' }, { 'close', 'accept_file', 'accept_all', 'note', 'send', 'undo' } }) do
    if #without(left_out) <= width then
      return without(left_out)
    end
  end
end

return M
