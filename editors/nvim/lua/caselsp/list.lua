--- The list of subcommands that :Case without words shows: first those that only show something, then those for which
--- the user writes a text, last those that change something at once.
local M = {}

local looks = {
  'status',
  'review',
  'questions',
  'activity',
  'approvals',
  'doctor',
  'history',
  'log',
  'memory',
  'messages',
  'metrics',
  'next',
  'previous',
  'report',
  'settings',
  'state',
  'thread',
  'validators',
}

local asks = { 'ask', 'follow', 'new', 'note', 'run', 'secret', 'tell' }

--- The subcommands in the order of the list. One that is in neither of the lists changes something.
---@param names string[] sorted
function M.sorted(names)
  local rank = {}
  for i, name in ipairs(vim.list_extend(vim.list_slice(looks), asks)) do
    rank[name] = i
  end
  local list = vim.list_slice(names)
  table.sort(list, function(a, b)
    local first, second = rank[a] or #names + 1, rank[b] or #names + 1
    return first < second or first == second and a < b
  end)
  return list
end

return M
