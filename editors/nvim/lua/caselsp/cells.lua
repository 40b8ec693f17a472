--- Texts that fit into a number of cells of the screen.
local M = {}

--- A text in at most so many cells; what is left out is shown by an ellipsis. cut says that more was left out before.
function M.fit(text, cells, cut)
  if cut or vim.fn.strdisplaywidth(text) > cells then
    while text ~= '' and vim.fn.strdisplaywidth(text) > cells - 2 do
      text = vim.fn.strcharpart(text, 0, vim.fn.strcharlen(text) - 1)
    end
    text = text .. ' …'
  end
  return text
end

return M
