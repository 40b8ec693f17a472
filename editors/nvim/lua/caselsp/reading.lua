--- The time to read a window that has just come up. What is typed within it was meant for what had the keyboard before,
--- and decides nothing; and no window comes up over somebody who types.
local M = {}

local time = 700 -- milliseconds

local function now()
  return vim.uv.hrtime() / 1e6
end

--- When one can have read a window that comes up now.
---@return number
function M.from()
  return now() + time
end

--- Whether it is too early for that. The user is told.
---@param from number of M.from
function M.early(from)
  if now() >= from then
    return false
  end
  local text = 'That came faster than one can read: nothing was decided.'
  require('caselsp.notice').show(text, nil, { about = 'early' })
  return true
end

--- Whether a window may come up with the keyboard: only in Normal mode. Else the user is told.
---@param what string a sentence: what has not come up
function M.may(what)
  if vim.api.nvim_get_mode().mode:match('^nt?$') then
    return true
  end
  require('caselsp.notice').show('Not shown while you type: ' .. what)
  return false
end

return M
