--- :checkhealth caselsp
local M = {}

local health = vim.health

-- How long the program may take for its own check, in milliseconds: it looks at the model and the sandbox.
local doctorTime = 60000

local function program(command)
  if vim.fn.executable(command) == 0 then
    health.error(('“%s” is not on the PATH'):format(command), {
      'Build it: in a clone of caselsp, `make build`, then put bin/ on the PATH.',
      "Or say where it is: require('caselsp').setup({ cmd = { '/path/to/caselsp', 'serve' } })",
    })
    return false
  end
  local version = vim.system({ command, '--version' }, { text = true }):wait(5000)
  health.ok(('%s: %s'):format(vim.fn.exepath(command), vim.trim(version.stdout or '')))
  return true
end

local function servers()
  local list = vim.lsp.get_clients({ name = require('caselsp.client').name })
  if #list == 0 then
    health.info('No server runs yet: it starts with the first file of a project, or with :Case.')
  end
  for _, client in ipairs(list) do
    health.ok(
      ('A server runs for %s (%d buffers)'):format(client.config.root_dir, #vim.tbl_keys(client.attached_buffers))
    )
    if not require('caselsp.client').offers(client, 'caselsp.questions') then
      health.warn('It is older than this plugin.', { 'Build and install both from the same source.' })
    end
  end
end

function M.check()
  health.start('caselsp: Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok('Neovim ' .. tostring(vim.version()))
  else
    health.error('Neovim 0.10 or newer is needed')
  end
  local wrong = vim.g.caselsp and not pcall(require('caselsp.config').set, vim.g.caselsp)
  if wrong then
    health.error('vim.g.caselsp is wrong: see :messages and :help caselsp-config')
  end
  local command = require('caselsp.config').get().cmd[1]
  health.start('caselsp: program')
  if not program(command) then
    return
  end
  health.start('caselsp: servers')
  servers()
  health.start('caselsp: model, sandbox and store (caselsp doctor)')
  local ok, result = pcall(function()
    return vim.system({ command, 'doctor' }, { text = true }):wait(doctorTime)
  end)
  if not ok then
    return health.error('caselsp doctor did not run: ' .. tostring(result))
  end
  local text = vim.trim((result.stdout or '') .. (result.stderr or ''))
  if result.code == 0 then
    health.ok(text)
  else
    health.warn(text, { 'caselsp doctor says what to do; run it again afterwards.' })
  end
end

return M
