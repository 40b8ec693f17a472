if vim.g.loaded_caselsp then
  return
end
vim.g.loaded_caselsp = true

if vim.fn.has('nvim-0.10') == 0 then
  vim.api.nvim_echo({ { 'caselsp needs Neovim 0.10 or newer', 'ErrorMsg' } }, true, {})
  return
end
require('caselsp').start()
