--- Texts in a window of their own.
local M = {}

--- Shows lines in a window below the others, from their end; q closes it.
---@param lines string[]
---@param name string|nil of the buffer
function M.show(lines, name)
  vim.cmd('botright new')
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = 'nofile', 'wipe', false
  if name then
    pcall(vim.api.nvim_buf_set_name, 0, name)
  end
  vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
  vim.bo.modifiable = false
  vim.wo.wrap, vim.wo.linebreak, vim.wo.breakindent = true, true, true
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = true, nowait = true, desc = 'caselsp: close this window' })
  vim.cmd('normal! G')
end

return M
