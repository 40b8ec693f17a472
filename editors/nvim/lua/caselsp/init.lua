--- caselsp in Neovim: the language server, the command :Case, reviews and questions.
--- Nothing has to be called; setup() changes the defaults. See :help caselsp.
local M = {}

--- Changes the configuration. The fields are documented in :help caselsp-config; a wrong one is
--- an error. `vim.g.caselsp` takes the same table for those who do not call Lua.
---@param options table|nil
function M.setup(options)
  require('caselsp.config').set(options or {})
  if M.started then
    require('caselsp.pending').keys()
  end
end

--- Begins: defines the command and has the server started where there is a project.
function M.start()
  require('caselsp.highlight').define()
  require('caselsp.command').define()
  require('caselsp.ended').watch()
  require('caselsp.client').enable()
  require('caselsp.progress').watch()
  require('caselsp.pending').watch()
  M.started = true
end

--- What a status line shows about the current buffer's project: what its tasks do, how many
--- questions and results wait. It is empty where there is nothing to say, and never long to compute.
---@return string
function M.status()
  return require('caselsp.progress').status()
end

--- Runs a subcommand of :Case from Lua, such as require('caselsp').run('review').
---@param ... string the subcommand and its words
function M.run(...)
  require('caselsp.command').run({ fargs = { ... }, range = 0 })
end

return M
