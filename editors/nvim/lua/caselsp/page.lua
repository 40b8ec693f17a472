--- The text of a review and what stands where in it.
local M = {}

--- Whether a hunk is undecided.
local function is_open(hunk)
  return hunk.state == 'pending' or hunk.state == 'conflict'
end

M.is_open = is_open

local function file_title(file)
  local name = file.from and file.from .. ' → ' .. file.path or file.path
  local title = ('%s (%s, %s)'):format(name, file.kind, file.state)
  if file.kept then
    title = title .. ', kept work of ' .. file.kept .. ', not verified'
  end
  if file.obeyed and file.obeyed.by ~= '' then
    title = title .. ', obeyed by ' .. file.obeyed.by .. ': accept it by its name'
  end
  return title
end

--- The part of a unified diff below its heads, as one list of lines for each hunk.
local function hunks_of(diff)
  local list = {}
  for _, line in ipairs(vim.split((diff:gsub('\n$', '')), '\n', { plain = true })) do
    if vim.startswith(line, '@@ ') then
      table.insert(list, { line })
    elseif #list > 0 then
      table.insert(list[#list], line)
    end
  end
  return list
end

local page = {}
page.__index = page

function page:add(text, group)
  table.insert(self.lines, (text:gsub('[\r\n]', ' ')))
  if group then
    table.insert(self.groups, { #self.lines, group })
  end
end

function page:head(file, hunk)
  local open = hunk and is_open(hunk) or not hunk and vim.iter(file.hunks):any(is_open)
  table.insert(self.heads, { line = #self.lines, file = file, hunk = hunk, open = open })
end

local state_groups = { accepted = 'CaselspAccepted', rejected = 'CaselspRejected' }

--- The notes on a hunk by its number, on a file (0), or on all of the result (no file).
function M.notes_on(data, file, hunk)
  return vim.tbl_filter(function(note)
    return (note.file or '') == (file or '') and (note.hunk or 0) == (hunk or 0)
  end, data.notes or {})
end

function page:notes(data, file, hunk)
  for _, note in ipairs(M.notes_on(data, file, hunk)) do
    self:add('  ✎ ' .. note.text, 'CaselspHint')
  end
end

function page:file(file, data)
  self:add('')
  self:add(file_title(file), 'CaselspFile')
  self:head(file)
  self:notes(data, file.path)
  if file.unfit and file.unfit ~= '' then
    self:add('It does not fit now: ' .. file.unfit, 'CaselspRejected')
  end
  local diffs = hunks_of(file.diff)
  for i, diff in ipairs(diffs) do
    local hunk = not file.whole and file.hunks[i] or nil
    if hunk then
      local words = hunk.state == 'conflict' and 'pending, you changed the same lines' or hunk.state
      local text = ('%s hunk %d of %d: %s'):format(diff[1], i, #diffs, words)
      self:add(text, state_groups[hunk.state] or 'CaselspOpen')
      self:head(file, hunk)
    end
    for j = hunk and 2 or 1, #diff do
      local first = diff[j]:sub(1, 1)
      self:add(diff[j], first == '+' and 'CaselspAdded' or first == '-' and 'CaselspRemoved' or nil)
    end
    if hunk then
      self:notes(data, file.path, hunk.hunk)
    end
  end
  if #diffs == 0 then
    local said = 'Too long to be shown here: see the review document.'
    if file.binary then
      said = 'A binary file.'
    elseif (file.diff or '') ~= '' then -- without hunks: an empty file that is new, or another name
      said = 'No line of it changes.'
    end
    self:add(said, 'CaselspHint')
  end
end

--- The text of a review: lines, groups (the highlight groups of lines), and heads, what can be decided, by their lines:
--- { line, file, hunk, open }.
function M.of(data)
  local p = setmetatable({ lines = {}, groups = {}, heads = {} }, page)
  p:add(data.title, 'Title')
  local open = data.open == 1 and '1 hunk' or data.open .. ' hunks'
  local again = data.state == 'succeeded' and data.open > 0 and (', %s undecided again'):format(open) or ''
  p:add(
    data.state == 'review' and open .. ' to decide. g? lists the keys.'
      or ('State: %s%s. u takes all back.'):format(data.state, again)
  )
  if #(data.acceptedBefore or {}) > 0 then
    p:add('Accepted before the task was tried again: ' .. table.concat(data.acceptedBefore, ', '), 'CaselspAccepted')
  end
  for _, line in ipairs(data.untested or {}) do
    p:add('Untested: ' .. line, 'CaselspRejected')
  end
  p:notes(data)
  for _, file in ipairs(data.files) do
    p:file(file, data)
  end
  return p
end

return M
