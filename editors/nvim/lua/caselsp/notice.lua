--- Messages in windows beside the text. They never take the keyboard: such a window cannot be
--- entered, and no prompt waits for a key.
local config = require('caselsp.config')
local fit = require('caselsp.cells').fit

local M = {}

--- All messages of this Neovim, oldest first: { text, level, time }.
M.history = {}

local maxHistory = 500 -- more is not looked for
local maxRows = 12 -- of one notice; :Case messages shows all of it
local slimSeconds = 5 -- as long as a line above the review stays at most
-- The notices on the screen, top first: { window, buffer, height, slim, key, about, text, level, options }.
local shown = {}

local borders = {
  [vim.log.levels.ERROR] = 'DiagnosticError',
  [vim.log.levels.WARN] = 'DiagnosticWarn',
}

--- Whether the window of a review is on the screen. It shows itself what most messages say, and only the two lines
--- above it are free.
local function reviewing()
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(w)
    return vim.bo[vim.api.nvim_win_get_buf(w)].filetype == 'caselsp-review'
  end)
end

local function has_tabline()
  return vim.o.showtabline == 2 or vim.o.showtabline == 1 and #vim.api.nvim_list_tabpages() > 1
end

--- Puts the notices one below the other, from the top down, or at the bottom those that would hide the title of a
--- review. One that would hide the line of the cursor there goes to the other end, unless it would hide the line there,
--- too.
local function arrange()
  shown = vim.tbl_filter(function(n)
    return vim.api.nvim_win_is_valid(n.window)
  end, shown)
  local line = vim.api.nvim_win_get_position(0)[1] + vim.fn.winline() -- from 1
  if #shown == 0 then
    return
  end
  local usual = reviewing() and 'bottom' or 'top'
  local top, bottom = usual == 'bottom' and has_tabline() and 1 or 0, vim.o.lines - vim.o.cmdheight - 1
  for _, n in ipairs(shown) do
    local rows = n.slim and 1 or n.height + 2
    local row = { top = top, bottom = math.max(bottom - rows, 0) }
    local function hides(place)
      return row[place] < line and line <= row[place] + rows
    end
    local place = n.slim and 'top' or n.place or usual
    local other = place == 'bottom' and 'top' or 'bottom'
    n.place = not n.slim and hides(place) and not hides(other) and other or place
    if n.row ~= row[n.place] then
      n.row = row[n.place]
      vim.api.nvim_win_set_config(n.window, { relative = 'editor', anchor = 'NE', row = n.row, col = vim.o.columns })
    end
    top, bottom = n.place == 'top' and top + rows or top, n.place == 'bottom' and bottom - rows or bottom
  end
end

vim.api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'WinEnter', 'VimResized' }, {
  group = vim.api.nvim_create_augroup('caselsp.notice', {}),
  callback = function(event)
    if event.event == 'VimResized' then
      for _, n in ipairs(shown) do
        n.row = nil -- its column is another one
      end
    end
    arrange()
  end,
})

local function close(notice)
  shown = vim.tbl_filter(function(n)
    return n ~= notice
  end, shown)
  if vim.api.nvim_win_is_valid(notice.window) then
    pcall(vim.api.nvim_win_close, notice.window, true)
  end
  arrange()
end

--- Breaks a text into lines of at most so many cells.
local function wrapped(text, width)
  local lines = {}
  for _, line in ipairs(vim.split(text, '\n', { plain = true })) do
    local current = ''
    for word in line:gmatch('%S+') do
      local longer = current == '' and word or current .. ' ' .. word
      if vim.fn.strdisplaywidth(longer) <= width then
        current = longer
      else
        if current ~= '' then
          table.insert(lines, current)
        end
        current = word
        while vim.fn.strdisplaywidth(current) > width do
          table.insert(lines, vim.fn.strcharpart(current, 0, width))
          current = vim.fn.strcharpart(current, width)
        end
      end
    end
    table.insert(lines, current)
  end
  return lines
end

local function open(lines, level, options)
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local footer = not options.slim and options.footer or nil
  width = math.max(width, vim.fn.strdisplaywidth(footer or '') + 2, 10)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  local window = vim.api.nvim_open_win(buffer, false, {
    relative = 'editor',
    anchor = 'NE',
    row = 0,
    col = vim.o.columns,
    width = math.min(width, math.max(vim.o.columns - (options.slim and 0 or 2), 1)),
    height = #lines,
    style = 'minimal',
    border = options.slim and 'none' or 'rounded',
    focusable = false,
    noautocmd = true,
    zindex = 60,
    title = options.title and not options.slim and ' ' .. options.title .. ' ' or nil,
    footer = footer and ' ' .. footer .. ' ' or nil,
    footer_pos = footer and 'right' or nil,
  })
  local border = borders[level] or 'FloatBorder'
  local text = options.slim and borders[level] or 'CaselspNotice'
  vim.wo[window].winhighlight = ('NormalFloat:%s,FloatBorder:%s'):format(text, border)
  return {
    window = window,
    buffer = buffer,
    height = #lines,
    slim = options.slim,
    key = options.key,
    about = options.about,
    level = level,
    options = options,
  }
end

--- A text in one line of the screen, with the notice's title before and its footer behind it.
local function one_line(text, options)
  local line = (options.title and options.title .. ': ' or '') .. text:gsub('%s+', ' ')
  local rest = options.footer and '  ' .. options.footer or ''
  local cells = math.max(vim.o.columns - vim.fn.strdisplaywidth(rest), 10)
  return fit(line, cells) .. rest
end

--- Leaves one line of a notice.
local function shrink(notice)
  if notice.height > 1 and vim.api.nvim_win_is_valid(notice.window) then
    local first = vim.api.nvim_buf_get_lines(notice.buffer, 0, 1, true)[1]
    local width = vim.api.nvim_win_get_width(notice.window)
    vim.api.nvim_buf_set_lines(notice.buffer, 0, -1, true, { fit(first, width, true) })
    vim.api.nvim_win_set_height(notice.window, 1)
    notice.height = 1
    arrange()
  end
end

--- The lines of a notice: at most half of the screen for one that stays.
local function lines_of(text, options)
  if options.slim then
    return { one_line(text, options) }
  end
  local width = math.max(math.min(config.get().notice.width, vim.o.columns - 4), 10)
  local lines = wrapped(text, width)
  local half = math.floor(vim.o.lines / 2) - 2 -- with its border
  local rows = math.max(math.min(options.key and half or maxRows, vim.o.lines - 6), 1)
  if #lines > rows then
    lines = vim.list_slice(lines, 1, rows)
    if options.more and rows > 1 then
      lines[rows] = '… ' .. options.more
    else
      lines[rows] = lines[rows] .. ' …'
    end
  end
  return lines
end

--- Shows a text beside the text. After a while it goes away, but for one with a key: of that the first line stays until
--- M.drop(key). While a review is open, questions and what only confirms take one line, and what confirms goes soon.
local function float(text, level, options)
  options.slim = reviewing() and (options.key or level <= vim.log.levels.INFO) and true or nil
  for _, n in ipairs(options.slim and not options.key and vim.list_slice(shown) or {}) do
    if n.slim and not n.key then
      close(n) -- there is one line for what confirms
    end
  end
  local ok, notice = pcall(open, lines_of(text, options), level, options)
  if not ok then
    return -- a window that is too small for one; the history has the text
  end
  notice.text = text
  table.insert(shown, 1, notice)
  arrange()
  local seconds = config.get().notice.seconds
  vim.defer_fn(function()
    if options.key then
      shrink(notice)
    else
      close(notice)
    end
  end, (options.slim and math.min(seconds, slimSeconds) or seconds) * 1000)
end

--- Makes room for a review that has been opened: what was told goes, but for warnings, and questions take one line.
function M.make_room()
  for _, n in ipairs(vim.list_slice(shown)) do
    if n.key or n.level <= vim.log.levels.INFO then
      close(n)
    end
    if n.key then
      float(n.text, n.level, n.options)
    end
  end
  arrange()
end

-- What the server says of the state of a task, before the task's title in quotes.
local states = {
  Accepted = true,
  Answered = true,
  Decided = true,
  Done = true,
  Failed = true,
  Rejected = true,
  Resumed = true,
  Stopped = true,
  Undone = true,
  Unfinished = true,
}

--- The task whose state a message is about, by its title; nil for other messages.
local function task_of(text)
  for state, title in text:gmatch('(%u%l+): "(.-)"') do
    if states[state] then
      return title
    end
  end
  return text:match('^"(.-)" is done')
    or text:match('^"(.-)": Accepted, but')
    or text:match('^A task is not finished: "(.-)"')
    or text:match('%d+ hunks? of "(.-)" left to decide')
end

--- Whether two titles are those of one task. A title may be cut.
local function same_task(a, b)
  local function begins(long, short)
    local first = short:match('^(.*)…$')
    return first ~= nil and vim.startswith(long, first)
  end
  return a == b or begins(a, b) or begins(b, a)
end

--- Takes the notices away that a newer one about the same replaces: the state of a task, or all of them.
local function replace(about)
  for _, n in ipairs(vim.list_slice(shown)) do
    if n.about and same_task(n.about, about) then
      close(n)
    end
  end
end

--- Takes the notices away that tell another number of hunks left to decide of a task's result than there is.
function M.recount(title, left)
  for _, n in ipairs(vim.list_slice(shown)) do
    local told, of = n.text:match('(%d+) hunks? of "(.-)" left to decide')
    if told and tonumber(told) ~= left and same_task(of, title) then
      close(n)
    end
  end
end

--- Shows a message and remembers it. more is the last line of one that is cut; about, what it is about: it replaces
--- the notice about the same.
---@param text string
---@param level integer|nil of vim.log.levels
---@param options { title: string?, footer: string?, key: string?, more: string?, about: string? }|nil
function M.show(text, level, options)
  level, options = level or vim.log.levels.INFO, options or {}
  text = vim.trim(text)
  if vim.in_fast_event() then
    return vim.schedule(function()
      M.show(text, level, options)
    end)
  end
  table.insert(M.history, { text = text, level = level, time = os.time() })
  if #M.history > maxHistory then
    table.remove(M.history, 1)
  end
  vim.api.nvim_exec_autocmds('User', { pattern = 'CaselspMessage', data = { text = text, level = level } })
  local notify = config.get().notify
  if notify then
    (type(notify) == 'function' and notify or vim.notify)(text, level, { title = options.title or 'CASE' })
  elseif not (options.key and M.showing(options.key)) then
    local about = not options.key and (options.about or options.title or task_of(text)) or nil
    if about then
      replace(about)
    end
    float(text, level, vim.tbl_extend('force', options, { about = about }))
  end
end

--- Whether the notice of a key is on the screen.
function M.showing(key)
  return vim.iter(shown):any(function(n)
    return n.key == key
  end)
end

--- Takes the notice of a key away, and what is told about it; without a key, all.
function M.drop(key)
  for _, n in ipairs(vim.list_slice(shown)) do
    if not key or n.key == key or n.about == key then
      close(n)
    end
  end
end

--- The keys of the notices on the screen.
function M.keys()
  local keys = {}
  for _, n in ipairs(shown) do
    table.insert(keys, n.key)
  end
  return keys
end

--- Shows all messages in a window of their own.
function M.list()
  local lines = {}
  for _, m in ipairs(M.history) do
    local text = vim.split(m.text, '\n', { plain = true })
    table.insert(lines, os.date('%H:%M:%S ', m.time) .. text[1])
    for i = 2, #text do
      table.insert(lines, '         ' .. text[i])
    end
  end
  if #lines == 0 then
    lines = { 'No messages yet.' }
  end
  require('caselsp.text').show(lines)
end

return M
