--- Which task a command is about.
local M = {}

--- Has the user choose one of the tasks by its title.
---@param prompt string
---@param tasks table[]
---@param run fun(id: string)
function M.choose(prompt, tasks, run)
  require('caselsp.prompt').select(tasks, {
    prompt = prompt,
    kind = 'caselsp.tasks',
    list = true,
    format_item = function(task)
      local files = vim.tbl_map(function(file)
        return file.path
      end, task.files)
      local what = task.state == 'review' and table.concat(files, ', ') or task.line
      return ('“%s”: %s'):format(task.title, what)
    end,
  }, function(task)
    if task then
      run(task.id)
    end
  end)
end

-- Of what is left to do, a command without a task means first what these say.
local first = {
  ['caselsp.stop'] = function(task)
    return task.here
  end,
  ['caselsp.resume'] = function(task)
    return not vim.tbl_contains({ 'review', 'succeeded', 'rejected', 'failed' }, task.state)
  end,
}

--- Runs a command of the server about a task. Where none is named and several fit, the user is asked which; where one
--- fits, the server knows it.
---@param client vim.lsp.Client
---@param command string of those above
---@param task string|nil
---@param run fun(id: string|nil)
function M.one(client, command, task, run)
  if task then
    return run(task)
  end
  require('caselsp.events').status(client, nil, function(tasks)
    local able = vim.tbl_filter(function(t)
      return vim.tbl_contains(t.can, command)
    end, tasks)
    local fit = vim.tbl_filter(first[command], able)
    fit = #fit > 0 and fit or able
    if #fit < 2 then
      return run(nil)
    end
    M.choose(('Which task to %s?'):format(command:match('%a+$')), fit, run)
  end)
end

return M
