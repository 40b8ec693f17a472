--- A word that is no subcommand, and those that may be meant.
local M = {}

--- How many letters have to be changed, left out, added or swapped with the next one to make one word of another.
local function distance(a, b)
  local before, row = {}, {}
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    local last = row
    row = { [0] = i }
    for j = 1, #b do
      local same = a:sub(i, i) == b:sub(j, j)
      row[j] = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:sub(i, i) == b:sub(j - 1, j - 1) and a:sub(i - 1, i - 1) == b:sub(j, j) then
        row[j] = math.min(row[j], before[j - 2] + 1)
      end
    end
    before = last
  end
  return row[#b]
end

--- The subcommands that a word may mean: those that it begins, or else the nearest ones.
local function meant(word, names)
  local list = vim.tbl_filter(function(name)
    return vim.startswith(name, word)
  end, names)
  for most = 1, #word > 3 and 2 or 1 do
    list = #list > 0 and list
      or vim.tbl_filter(function(name)
        return distance(word:lower(), name) <= most
      end, names)
  end
  return #list <= 3 and list or {}
end

--- The message for an unknown subcommand, which is the first of the words.
function M.text(words, names)
  local list = vim.tbl_map(function(name)
    return ':Case ' .. name
  end, meant(words[1], names))
  if #list > 0 then
    return ('There is no :Case %s. Did you mean %s?'):format(words[1], table.concat(list, ' or '))
  end
  local text = 'There is no :Case %s. :Case run %s starts a task; :help caselsp lists the subcommands.'
  return text:format(words[1], table.concat(words, ' '))
end

return M
