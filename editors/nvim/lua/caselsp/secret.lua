--- Secrets: typed without being shown, and given to the keyring by the program itself. They never pass
--- through the language server.
local M = {}

--- Asks for the value of a secret and puts it into the keyring; done is called when it is there.
---@param name string
---@param done fun()|nil
function M.set(name, done)
  local notice = require('caselsp.notice')
  local value = vim.fn.inputsecret('Value of ' .. name .. ': ')
  if value == '' then
    return notice.show('Nothing was entered: ' .. name .. ' stays as it is.')
  end
  local command = { require('caselsp.config').get().cmd[1], 'secret', 'set', name }
  vim.system(command, { stdin = value, text = true }, function(result)
    vim.schedule(function()
      local failed = result.code ~= 0
      notice.show(vim.trim(result.stderr), failed and vim.log.levels.ERROR or vim.log.levels.INFO)
      if not failed and done then
        done()
      end
    end)
  end)
end

return M
