--- Questions of tasks. They are announced beside the text, and asked only when the user wants to be
--- asked: a prompt that opens by itself would take the next key as its answer.
local notice = require('caselsp.notice')

local M = {}

local later = 'Decide later' -- the first of every prompt: it changes nothing

local function key_of(client_id, question)
  return ('question:%d:%s:%s'):format(client_id, question.task, question.id)
end

--- Keeps a notice on the screen for each open question of a client, and takes those away that are decided.
function M.announce(client)
  local open = {}
  for _, q in ipairs(require('caselsp.events').of(client).questions) do
    local key = key_of(client.id, q)
    open[key] = true
    if not M.announced[key] then
      M.announced[key] = true
      local options = { title = 'CASE asks', footer = ':Case questions', key = key }
      options.more = ':Case questions shows all'
      notice.show(q.text, vim.log.levels.WARN, options)
    end
  end
  for key in pairs(M.announced) do
    if vim.startswith(key, ('question:%d:'):format(client.id)) and not open[key] then
      M.announced[key] = nil
      notice.drop(key)
    end
  end
end

M.announced = {} -- keys of the questions that were announced

function M.forget(client_id)
  for key in pairs(M.announced) do
    if vim.startswith(key, ('question:%d:'):format(client_id)) then
      M.announced[key] = nil
      notice.drop(key)
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

--- Asks one question.
local function ask(client, question)
  local items = { { title = later } }
  for _, choice in ipairs(question.choices) do
    table.insert(items, choice)
    if question.secret and choice.allows then
      table.insert(items, 3, { title = 'Type it into the keyring…', secret = choice })
    end
  end
  vim.ui.select(items, {
    prompt = question.text,
    kind = 'caselsp.question',
    format_item = function(item)
      return item.title
    end,
  }, function(chosen)
    if not chosen or chosen.title == later and not chosen.command then
      return
    elseif chosen.secret then
      keep_secret(client, question, chosen.secret)
    elseif chosen.opens then
      local prompt = chosen.command == 'caselsp.deny' and 'Why not? The model is told: ' or 'Answer: '
      vim.ui.input({ prompt = prompt }, function(text)
        if text and vim.trim(text) ~= '' then
          send(client, chosen, text)
        end
      end)
    else
      send(client, chosen)
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
        vim.ui.select(list, {
          prompt = 'Which question?',
          kind = 'caselsp.questions',
          format_item = function(q)
            return q.text
          end,
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
