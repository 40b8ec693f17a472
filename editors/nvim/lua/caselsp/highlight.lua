--- The highlight groups, as links that a color scheme may define otherwise.
local M = {}

local links = {
  CaselspFile = 'Directory',
  CaselspHunk = 'Title',
  CaselspOpen = 'DiagnosticInfo',
  CaselspAccepted = 'DiagnosticOk',
  CaselspRejected = 'DiagnosticError',
  CaselspAdded = 'DiffAdd',
  CaselspRemoved = 'DiffDelete',
  CaselspNotice = 'NormalFloat',
  CaselspHint = 'Comment',
  CaselspSign = 'DiagnosticSignInfo',
}

function M.define()
  for name, target in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = target, default = true })
  end
end

return M
