-- What the user of the plugin sees and does, beside the words of ../nvim/user.lua.
local user = ...

-- The plugin's notices are messages. Those of questions are warnings.
vim.api.nvim_create_autocmd('User', {
  pattern = 'CaselspMessage',
  callback = function(event)
    table.insert(user.messages, event.data)
    user.note('notice:', event.data.text)
  end,
})
vim.list_extend(user.warnings, { 'CASE wants to run a command', 'The model asks', 'That came faster than the question can be read' })

user.inputs = {} -- of vim.ui.input that are not answered yet

function vim.ui.input(opts, on_confirm)
  user.note('input:', opts.prompt)
  table.insert(user.inputs, { text = opts.prompt, default = opts.default, on_confirm = on_confirm })
end

-- user.write answers the input whose prompt has a part (plain).
function user.write(part, text)
  local input = user.see('an input with ' .. part, function()
    for i, p in ipairs(user.inputs) do
      if p.text:find(part, 1, true) then
        return table.remove(user.inputs, i)
      end
    end
  end)
  input.on_confirm(text)
end

-- user.question waits for a question with a part (plain) among those that are known and returns it.
function user.question(part)
  return user.see('a question with ' .. part, function()
    local client = user.client()
    return client
      and vim.iter(require('caselsp.events').of(client).questions):find(function(q)
        return q.text:find(part, 1, true) ~= nil
      end)
  end)
end

-- user.decide waits for a question with a part (plain), asks for it by :Case questions, looks at its choices and takes
-- one: again and again, where that comes faster than the question can be read.
function user.decide(part, choice)
  user.question(part)
  vim.cmd.Case('questions')
  local prompt = user.prompt(part)
  user.same('the first choice', prompt.titles[1], 'Decide later')
  user.pick(prompt, choice)
  user.see('the end of the question ' .. part, function()
    local again = user.prompts[1]
    if again and again.text:find(part, 1, true) then
      user.pick(table.remove(user.prompts, 1), choice)
    end
    return not again
  end)
end

-- user.lines is the text of a window's buffer.
function user.lines(window)
  return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window or 0), 0, -1, true)
end

-- user.review waits for the window of a review, which has the keyboard, and reads it. hasty is done before it can be read.
function user.review(hasty)
  local hrtime = vim.uv.hrtime
  local now = hrtime()
  vim.uv.hrtime = hasty and function() return now end or hrtime
  user.see('the review', function()
    return vim.bo.filetype == 'caselsp-review'
  end)
  if hasty then
    hasty()
  end
  vim.uv.hrtime = hrtime
  user.see('the end of the time to read it', function()
    return hrtime() / 1e6 >= require('caselsp.review').readable()
  end)
end

-- user.typing does something as if it came while the user types.
function user.typing(run)
  local mode = vim.api.nvim_get_mode
  vim.api.nvim_get_mode = function() return { mode = 'i', blocking = false } end
  run()
  vim.api.nvim_get_mode = mode
end

-- user.row waits for a line of the current buffer that has a part (plain), and goes there.
function user.row(part)
  local row = user.see('a line with ' .. part, function()
    for i, line in ipairs(user.lines()) do
      if line:find(part, 1, true) then
        return i
      end
    end
  end)
  vim.api.nvim_win_set_cursor(0, { row, 0 })
end

-- user.notices are the texts of the plugin's notices on the screen.
function user.notices()
  local list = {}
  for _, w in ipairs(vim.api.nvim_list_wins()) do
    local c = vim.api.nvim_win_get_config(w)
    if c.relative ~= '' and not c.focusable then
      table.insert(list, table.concat(user.lines(w), ' '))
    end
  end
  return list
end
