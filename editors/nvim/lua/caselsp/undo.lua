--- Takes the decisions about a result back. Where it is more than one, the user sees which and is asked.
local M = {}

--- How many hunks of a result are in a state.
local function count(data, state)
  local n = 0
  for _, file in ipairs(data.files) do
    for _, hunk in ipairs(file.hunks) do
      n = n + (hunk.state == state and 1 or 0)
    end
  end
  return n
end

--- How many acceptances an undo takes back: hunks, and files that were accepted before a correction.
local function accepted(data)
  return count(data, 'accepted') + #(data.acceptedBefore or {})
end

--- The decisions about one file, as a line; nil where there is none.
local function line_of(file)
  local parts = {}
  for _, state in ipairs({ 'accepted', 'rejected' }) do
    local numbers = {}
    for _, hunk in ipairs(file.hunks) do
      if hunk.state == state then
        table.insert(numbers, hunk.hunk)
      end
    end
    if #numbers == #file.hunks and #numbers > 0 then
      table.insert(parts, state)
    elseif #numbers > 0 then
      local what = #numbers == 1 and 'hunk ' or 'hunks '
      table.insert(parts, what .. table.concat(numbers, ', ') .. ' ' .. state)
    end
  end
  return #parts > 0 and ('%s: %s'):format(file.path, table.concat(parts, '; ')) or nil
end

--- Takes back what is decided of a result.
---@param client vim.lsp.Client
---@param data table the result
function M.take_back(client, data)
  local function back()
    require('caselsp.client').execute(client, 'caselsp.undo', { task = data.task })
  end
  local decided = accepted(data) + count(data, 'rejected')
  if decided < 2 then
    return back()
  end
  local lines = { ('Take the decisions about “%s” back?'):format(data.title) }
  for _, file in ipairs(data.files) do
    table.insert(lines, line_of(file))
  end
  for _, path in ipairs(data.acceptedBefore or {}) do
    table.insert(lines, path .. ': accepted before the correction')
  end
  require('caselsp.prompt').select({ 'Keep them', ('Take all %d decisions back'):format(decided) }, {
    prompt = table.concat(lines, '\n'),
    kind = 'caselsp.undo',
    title = 'Undo',
  }, function(_, i)
    if i == 2 then
      back()
    end
  end)
end

--- The same for the result of a task, or of the one that was accepted last. A rejection is taken back, too, but not in
--- the place of an acceptance.
---@param client vim.lsp.Client
---@param task string|nil
function M.run(client, task)
  local events = require('caselsp.events')
  if task then
    return events.review(client, task, function(data)
      if data then
        M.take_back(client, data)
      end
    end)
  end
  events.status(client, nil, function(tasks)
    local fit = vim.tbl_filter(function(t)
      return vim.tbl_contains(t.can, 'caselsp.undo')
    end, tasks)
    table.sort(fit, function(a, b)
      return a.changed > b.changed
    end)
    local rejected
    local function look(i)
      if not fit[i] then
        if rejected then
          return M.take_back(client, rejected)
        end
        return require('caselsp.client').execute(client, 'caselsp.undo') -- the server says why there is nothing
      end
      events.review(client, fit[i].id, function(data)
        if data and accepted(data) > 0 then
          return M.take_back(client, data)
        end
        rejected = rejected or data and count(data, 'rejected') > 0 and data or nil
        look(i + 1)
      end)
    end
    look(1)
  end)
end

return M
