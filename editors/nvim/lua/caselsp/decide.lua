--- :Case accept and :Case reject.
local notice = require('caselsp.notice')

local M = {}

--- A file as the server names it: its path in the project. name is such a path, or one from the current folder; nil
--- where the file is not in the project.
local function path_of(client, name)
  local root = client.config.root_dir .. '/'
  if vim.uv.fs_stat(root .. name) then
    return name
  end
  local full = vim.fs.normalize(vim.fn.fnamemodify(name, ':p'))
  return vim.startswith(full, root) and full:sub(#root + 1) or nil
end

--- The file of a buffer; nil where it shows none of the project.
local function file_of(client, buffer)
  return vim.bo[buffer].buftype == '' and path_of(client, vim.api.nvim_buf_get_name(buffer)) or nil
end

--- The words behind the subcommand, and the files of which something is undecided.
local function words()
  local list, seen = { 'hunk', 'file', 'all' }, {}
  local client = require('caselsp.client').get(vim.api.nvim_get_current_buf())
  local known = client and require('caselsp.events').of(client) or { reviews = {}, undone = {} }
  for _, review in pairs(vim.tbl_extend('error', known.reviews, known.undone)) do
    for _, file in ipairs(review.files) do
      if not seen[file.path] and vim.iter(file.hunks):any(require('caselsp.page').is_open) then
        seen[file.path] = true
        table.insert(list, file.path)
      end
    end
  end
  return list
end

--- Decides about the hunk at the cursor, from which it goes to the next one when that is decided.
local function hunk_here(call, command)
  local pending = require('caselsp.pending')
  local hunk = pending.at_cursor()
  if not hunk then
    local text = 'No open hunk is here. :Case next goes to one, :Case review shows the whole result.'
    return notice.show(text, vim.log.levels.WARN)
  end
  pending.after(call.buffer, hunk)
  local arguments = { task = hunk.task, file = hunk.file, hunk = hunk.hunk }
  require('caselsp.client').execute(call.client, command, arguments)
end

--- A subcommand that accepts or rejects: the hunk at the cursor, the file of the buffer, one by its name, or all of a
--- result. The server knows the task of a file; what an undo took out of a decided result is accepted again so.
function M.subcommand(command)
  return {
    complete = words,
    run = function(call)
      local what = call.words[1] or 'hunk'
      if what == 'hunk' then
        return hunk_here(call, command)
      elseif what == 'all' then
        return require('caselsp.client').execute(call.client, command, { task = call.words[2] })
      end
      local pending = require('caselsp.pending')
      local hunk = what == 'file' and (pending.at_cursor() or pending.list(call.buffer)[1])
      local file = hunk and hunk.file
        or what == 'file' and file_of(call.client, call.buffer)
        or what ~= 'file' and (path_of(call.client, call.text) or call.text)
      if not file then
        local text = 'No file of the project is here. :Case review shows the whole result.'
        return notice.show(text, vim.log.levels.WARN)
      end
      require('caselsp.client').execute(call.client, command, { task = hunk and hunk.task or nil, file = file })
    end,
  }
end

return M
