--- Choices. Where Neovim would ask by its own vim.ui.select, a window beside the text asks instead: it shows the whole
--- text, wrapped, with all choices below it. The number of a choice and <CR> takes it, so that no single key decides.
--- A vim.ui.select of the user's is asked as ever.
local reading = require('caselsp.reading')

local M = {}

local open -- the prompt on the screen: { windows = { text, choices }, before, key }; a list has no window of a text

--- Whether vim.ui.select is Neovim's own.
local function own()
  return debug.getinfo(vim.ui.select, 'S').source:find('vim[/\\]ui%.lua$') ~= nil
end

--- Closes the prompt on the screen; with a key only that one's.
function M.close(key)
  local prompt = open
  if not prompt or key and prompt.key ~= key then
    return
  end
  open = nil
  for _, window in pairs(prompt.windows) do
    if vim.api.nvim_win_is_valid(window) then
      pcall(vim.api.nvim_win_close, window, true)
    end
  end
  if vim.api.nvim_win_is_valid(prompt.before) then
    vim.api.nvim_set_current_win(prompt.before)
  end
end

local function buffer_of(lines)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  vim.bo[buffer].modifiable = false
  return buffer
end

local function window_of(lines, enter, settings)
  local window = vim.api.nvim_open_win(
    buffer_of(lines),
    enter,
    vim.tbl_extend('force', {
      relative = 'editor',
      row = 0,
      col = math.max(math.floor((vim.o.columns - settings.width - 2) / 2), 0),
      height = 1,
      style = 'minimal',
      border = 'rounded',
      zindex = 70, -- over the notices, one of which says the same
    }, settings)
  )
  vim.wo[window].wrap, vim.wo[window].linebreak, vim.wo[window].scrolloff = true, true, 0
  return window
end

--- Gives the windows their heights: the choices what they need, the text what is left. It returns whether the text is
--- longer than its window.
local function arrange(windows)
  local rows = vim.o.lines - vim.o.cmdheight - 1 - 2 * vim.tbl_count(windows) -- without the borders
  local function height(window)
    return window and vim.api.nvim_win_text_height(window, {}).all or 0
  end
  local function place(window, row, size)
    local now = vim.api.nvim_win_get_config(window)
    vim.api.nvim_win_set_config(window, { relative = 'editor', row = row, col = now.col, height = size })
  end
  local choices = math.max(math.min(height(windows.choices), rows - (windows.text and 1 or 0)), 1)
  local text = math.min(height(windows.text), math.max(rows - choices, 1))
  local top = math.max(math.floor((rows - text - choices) / 2), 0)
  if windows.text then
    place(windows.text, top, text)
    top = top + text + 2
  end
  place(windows.choices, top, choices)
  return height(windows.text) > text
end

--- The choices with their numbers, one a line.
local function numbered(items, format, limit)
  local lines = {}
  for i, item in ipairs(items) do
    local line = ('%2d  %s'):format(i, (format(item):gsub('[\r\n]+', ' ')))
    while limit and vim.fn.strdisplaywidth(line) > limit do
      line = line:gsub('…$', '')
      line = vim.fn.strcharpart(line, 0, vim.fn.strcharlen(line) - 1) .. '…'
    end
    lines[i] = line
  end
  return lines
end

local function keys_of(windows, items, on_choice)
  local readable = reading.from()
  local function map(keys, run)
    for _, key in ipairs(keys) do
      vim.keymap.set('n', key, function()
        run(key)
      end, { buffer = vim.api.nvim_win_get_buf(windows.choices), nowait = true })
    end
  end
  local function decide(i)
    M.close()
    on_choice(items[i], items[i] and i or nil)
  end
  map({ '<CR>' }, function()
    local i = vim.v.count > 0 and vim.v.count or vim.api.nvim_win_get_cursor(0)[1]
    if items[i] and not reading.early(readable) then
      decide(i)
    end
  end)
  map({ 'q', '<Esc>', '<C-c>' }, function()
    decide(nil)
  end)
  map(windows.text and { '<C-d>', '<C-u>', '<C-f>', '<C-b>', '<C-e>', '<C-y>' } or {}, function(key)
    vim.api.nvim_win_call(windows.text, function()
      vim.cmd.normal({ vim.keycode(key), bang = true })
    end)
  end)
end

local function ask(items, options, on_choice)
  if not reading.may(('“%s” Give the command again.'):format(vim.split(options.prompt, '\n')[1])) then
    return
  end
  M.close()
  local width = math.max(math.min(vim.o.columns - 4, 100), 10)
  local windows = {}
  local title = { title = ' ' .. vim.fn.strcharpart(options.title or options.prompt, 0, width - 4) .. ' ' }
  open = { windows = windows, before = vim.api.nvim_get_current_win(), key = options.key }
  if not options.list then
    local text = vim.split(vim.trim(options.prompt), '\n', { plain = true })
    windows.text = window_of(text, false, vim.tbl_extend('error', { width = width }, title))
  end
  local lines = numbered(items, options.format_item or tostring, options.list and width)
  local above = options.list and title or { title = options.note and ' ' .. options.note .. ' ' }
  windows.choices = window_of(lines, true, vim.tbl_extend('error', { width = width }, above))
  vim.wo[windows.choices].cursorline = true
  vim.wo[windows.choices].breakindent, vim.wo[windows.choices].breakindentopt = true, 'shift:3'
  local footer = ' number <CR>  q decides nothing '
  footer = arrange(windows) and footer .. ' <C-d> <C-u> scroll ' or footer
  vim.api.nvim_win_set_config(windows.choices, { footer = footer, footer_pos = 'right' })
  keys_of(windows, items, on_choice)
  vim.api.nvim_create_autocmd('WinClosed', {
    pattern = vim.iter(pairs(windows)):map(function(_, window)
      return tostring(window)
    end):totable(),
    once = true,
    callback = vim.schedule_wrap(function()
      if open and open.windows == windows then
        M.close()
      end
    end),
  })
end

--- Asks as vim.ui.select does. Beside its options: title, of the window; key, by which it is closed; note, above the
--- choices; list, where the prompt is a title, and each item is cut to a line.
---@param items any[]
---@param options table
---@param on_choice fun(item: any, index: integer|nil)
function M.select(items, options, on_choice)
  if not own() then
    return vim.ui.select(items, options, on_choice)
  end
  ask(items, options, on_choice)
end

return M
