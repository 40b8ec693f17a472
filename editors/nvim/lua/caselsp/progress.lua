--- Progress: what the status line shows, and a line in the command line's place while nobody types there.
local config = require('caselsp.config')

local M = {}

local under_way = {} ---@type table<integer, table<string, string>> messages by client and token

local function latest(id)
  local list = {}
  for _, message in pairs(under_way[id] or {}) do
    table.insert(list, message)
  end
  table.sort(list)
  return list
end

local function count(n, what)
  return n == 1 and '1 ' .. what or ('%d %ss'):format(n, what)
end

--- Whether a task stands before its end and nobody works on it: :Case resume goes on with it.
local function lies_still(task)
  return not task.here and (task.interrupted or task.state == 'paused' or task.state == 'stopped')
end

local width = 40 -- of what the status line shows, in cells: the name of the file stands there, too

--- What the status line shows; see require('caselsp').status(). What waits for the user comes first, then what is under
--- way, whose title is its end.
function M.status()
  local client = require('caselsp.client').get(vim.api.nvim_get_current_buf())
  if not client then
    return ''
  end
  local known = require('caselsp.events').of(client)
  local parts = {}
  local questions, reviews = #known.questions, vim.tbl_count(known.reviews)
  if questions > 0 then
    table.insert(parts, count(questions, 'question'))
  end
  if reviews > 0 then
    table.insert(parts, count(reviews, 'review'))
  end
  local still = vim.tbl_count(vim.tbl_filter(lies_still, known.tasks))
  if still > 0 then
    table.insert(parts, ('%d unfinished'):format(still))
  end
  vim.list_extend(parts, latest(client.id))
  local text = #parts > 0 and 'CASE: ' .. table.concat(parts, ' · ') or ''
  return require('caselsp.cells').fit(text, width)
end

local echoed -- the id of the client whose line was shown last where messages go

--- Shows a line where messages go, unless somebody types or answers there.
local function echo(id, text)
  if config.get().progress ~= 'echo' or vim.api.nvim_get_mode().mode:match('^[cr]') then
    return
  end
  echoed = id
  local line = text:gsub('%c', ' ')
  vim.api.nvim_echo({ { require('caselsp.cells').fit(line, math.max(vim.v.echospace, 2)) } }, false, {})
end

--- Takes in the progress of the servers.
function M.watch()
  vim.api.nvim_create_autocmd('LspProgress', {
    group = vim.api.nvim_create_augroup('caselsp.progress', {}),
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      local params = event.data.params or event.data.result
      if not client or client.name ~= require('caselsp.client').name or not params then
        return
      end
      local value, token = params.value, tostring(params.token)
      local list = under_way[client.id] or {}
      under_way[client.id] = list
      list[token] = value.kind ~= 'end' and (value.message or list[token] or value.title) or nil
      if value.message then
        echo(client.id, 'CASE: ' .. value.message)
      end
      vim.cmd.redrawstatus({ bang = true })
    end,
  })
end

--- Forgets what belonged to a server that has ended. Its line goes, since nothing it says is under way any more.
function M.forget(id)
  local works = next(under_way[id] or {}) ~= nil
  under_way[id] = nil
  if works and echoed == id then
    echo(nil, '')
  end
  vim.cmd.redrawstatus({ bang = true })
end

return M
