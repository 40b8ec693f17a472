--- Questions of tasks. They are announced beside the text, and asked only when the user wants to be
--- asked: a prompt that opens by itself would take the next key as its answer.
local notice = require('caselsp.notice')

local M = {}

local answer = 'Answer: “' -- begins the title of an answer that the model offers
local later = 'Decide later' -- the first of every prompt: it changes nothing

local early = 'That came faster than the question can be read: nothing was decided.'

local function key_of(client_id, question)
  return ('question:%d:%s:%s'):format(client_id, question.task, question.id)
end

local readable = {} ---@type table<string, number> when one can have read a question, in milliseconds

local function now()
  return vim.uv.hrtime() / 1e6
end

--- When one can have read a question: its time begins when it is first shown here.
local function readable_from(key, question)
  readable[key] = readable[key] or now() + (question.readMs or 0)
  return readable[key]
end

--- Forgets a question that is open no more.
local function drop(key)
  M.announced[key], readable[key] = nil, nil
  notice.drop(key)
  require('caselsp.prompt').close(key)
end

--- Keeps a notice on the screen for each open question of a client, and takes those away that are decided.
function M.announce(client)
  local open = {}
  for _, q in ipairs(require('caselsp.events').of(client).questions) do
    local key = key_of(client.id, q)
    open[key] = true
    if not M.announced[key] then
      M.announced[key] = true
      readable_from(key, q)
      local options = { title = 'CASE asks', footer = ':Case questions', key = key }
      options.more = ':Case questions shows all'
      notice.show(q.text, vim.log.levels.WARN, options)
    end
  end
  for _, key in ipairs(vim.tbl_keys(readable)) do
    if vim.startswith(key, ('question:%d:'):format(client.id)) and not open[key] then
      drop(key)
    end
  end
end

M.announced = {} -- keys of the questions that were announced

function M.forget(client_id)
  for _, key in ipairs(vim.tbl_keys(readable)) do
    if vim.startswith(key, ('question:%d:'):format(client_id)) then
      drop(key)
    end
  end
end

--- Sends a choice. text is what the user wrote, where the choice asks for it.
local function send(client, choice, text)
  local arguments = vim.deepcopy(choice.arguments[1] or vim.empty_dict())
  if text then
    arguments.why, arguments.write = nil, nil
    arguments[choice.command == 'caselsp.deny' and 'reason' or 'text'] = text
  end
  require('caselsp.client').execute(client, choice.command, arguments)
end

--- Has a secret put into the keyring, then tells the task.
local function keep_secret(client, question, choice)
  require('caselsp.secret').set(question.secret, function()
    send(client, choice)
  end)
end

--- The title of the task that asks; nil where it is not known.
local function task_title(client, question)
  local task = require('caselsp.events').of(client).tasks[question.task]
  return task and task.title ~= '' and task.title or nil
end

--- The choices of a question with their titles. The first one changes nothing. The title of an answer that the model
--- offers may be cut, and the whole of it is among the answers.
local function choices_of(question)
  local items, offered = { { title = later } }, 0
  for _, choice in ipairs(question.choices) do
    local title = choice.title
    if choice.command == 'caselsp.answer' and vim.startswith(title, answer) then
      offered = offered + 1
      local whole = question.answers[offered]
      title = whole and answer .. whole:gsub('[\r\n]+', ' '):gsub('”', '"') .. '”' or title
    end
    table.insert(items, { title = title, choice = choice, allows = choice.allows })
    if question.secret and choice.allows then
      table.insert(items, 3, { title = 'Type it into the keyring…', choice = choice, keyring = true, allows = true })
    end
  end
  return items
end

--- Carries out what was chosen.
local function decide(client, question, item)
  local choice = item.choice
  if item.keyring then
    keep_secret(client, question, choice)
  elseif choice.opens then
    local prompt = choice.command == 'caselsp.deny' and 'Why not? The model is told: ' or 'Answer: '
    vim.ui.input({ prompt = prompt }, function(text)
      if text and vim.trim(text) ~= '' then
        send(client, choice, text)
      end
    end)
  else
    send(client, choice)
  end
end

--- Asks one question. What allows something does not count before one can have read the question.
local function ask(client, question, note)
  local key = key_of(client.id, question)
  local from, title = readable_from(key, question), task_title(client, question)
  require('caselsp.prompt').select(choices_of(question), {
    prompt = question.text,
    kind = 'caselsp.question',
    format_item = function(item)
      return item.title
    end,
    title = title and ('CASE asks: “%s”'):format(title) or 'CASE asks',
    key = key,
    note = note,
  }, function(item)
    if item and item.allows and now() < from then
      notice.show(early, vim.log.levels.WARN, { about = key })
      ask(client, question, early)
    elseif item and item.choice then
      decide(client, question, item)
    end
  end)
end

--- Asks the open questions of a buffer's project: the only one, or the one that the user picks.
function M.open(buffer)
  require('caselsp.client').with(buffer, function(client)
    require('caselsp.events').questions(client, function(list)
      if #list == 0 then
        notice.show('No question is open.')
      elseif #list == 1 then
        ask(client, list[1])
      else
        require('caselsp.prompt').select(list, {
          prompt = 'Which question?',
          kind = 'caselsp.questions',
          format_item = function(q)
            local title = task_title(client, q)
            return title and ('“%s”: %s'):format(title, q.text) or q.text
          end,
          list = true,
        }, function(chosen)
          if chosen then
            ask(client, chosen)
          end
        end)
      end
    end)
  end)
end

return M
