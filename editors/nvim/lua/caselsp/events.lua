--- What is known of the tasks of each server: their states, open questions and results. The server
--- says what has changed (caselsp/changed), and that is asked for.
local M = {}

---@class caselsp.Known
---@field tasks table<string, table> by id
---@field questions table[] the open ones
---@field reviews table<string, table> the results that wait, by task
---@field undone table<string, table> results that are decided, of which an undo in the text took something out, by task
---@field latest table|nil the result that was asked for last

local known = {} ---@type table<integer, caselsp.Known> by the client's id

--- What is known of a client.
---@return caselsp.Known
function M.of(client)
  known[client.id] = known[client.id] or { tasks = {}, questions = {}, reviews = {}, undone = {} }
  return known[client.id]
end

local function shown(client)
  require('caselsp.questions').announce(client)
  require('caselsp.review').refresh(client)
  require('caselsp.pending').refresh(client)
  vim.api.nvim_exec_autocmds('User', { pattern = 'CaselspChanged', data = { client_id = client.id } })
  vim.cmd.redrawstatus({ bang = true })
end

local function ask(client, command, arguments, take, quiet)
  arguments.format = 'data'
  require('caselsp.client').execute(client, command, arguments, function(answer)
    take(answer ~= vim.NIL and answer or nil)
    shown(client)
  end, quiet)
end

--- Asks for the result of a task; done is called when it is known.
function M.review(client, task, done)
  ask(client, 'caselsp.review', { task = task }, function(answer)
    if answer then
      require('caselsp.notice').recount(answer.title, answer.state == 'review' and answer.open or 0)
      M.of(client).latest = answer
      M.of(client).reviews[answer.task] = answer.state == 'review' and answer or nil
      M.of(client).undone[answer.task] = answer.state == 'succeeded' and answer.open > 0 and answer or nil
    elseif task then
      M.of(client).reviews[task], M.of(client).undone[task] = nil, nil
    end
    if done then
      done(answer)
    end
  end, not done)
end

--- Asks for the open questions.
function M.questions(client, done)
  ask(client, 'caselsp.questions', {}, function(answer)
    M.of(client).questions = answer and answer.questions or {}
    if done then
      done(M.of(client).questions)
    end
  end, not done)
end

--- Asks for all tasks, or for one.
function M.status(client, task, done)
  ask(client, 'caselsp.status', { task = task }, function(answer)
    local tasks = task and M.of(client).tasks or {}
    tasks[task or ''] = nil -- it may be deleted
    for _, t in ipairs(answer and answer.tasks or {}) do
      tasks[t.id] = t
      if t.state == 'review' and not M.of(client).reviews[t.id] then
        M.review(client, t.id)
      end
    end
    M.of(client).tasks = tasks
    if done then
      done(answer and answer.tasks or {})
    end
  end, not done)
end

--- Asks for what has changed; params are those of caselsp/changed.
function M.changed(client, params)
  local questions = false
  for _, change in ipairs(params and params.changes or {}) do
    if vim.tbl_contains(change.kinds, 'review') then
      M.review(client, change.task)
    end
    questions = questions or vim.tbl_contains(change.kinds, 'questions')
    M.status(client, change.task)
  end
  if questions then
    M.questions(client)
  end
end

--- Forgets what belonged to a server that has ended.
function M.forget(id)
  known[id] = nil
  require('caselsp.questions').forget(id)
  require('caselsp.progress').forget(id)
  require('caselsp.pending').clear(id)
end

return M
