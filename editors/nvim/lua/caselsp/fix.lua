--- Diagnostics of any server, handed to caselsp.fix.
local M = {}

--- A diagnostic of Neovim as the protocol has it, in a client's encoding.
local function to_lsp(buffer, d, encoding)
  local function position(row, column)
    row = math.min(row, vim.api.nvim_buf_line_count(buffer) - 1)
    return { line = row, character = vim.lsp.util.character_offset(buffer, row, column, encoding) }
  end
  return {
    range = { start = position(d.lnum, d.col), ['end'] = position(d.end_lnum or d.lnum, d.end_col or d.col) },
    severity = d.severity,
    message = d.message,
    source = d.source,
    code = d.code,
  }
end

--- The diagnostics at the cursor: those of its column, or else of its line. What caselsp says of its own
--- open hunks is none.
local function at_cursor(buffer)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.tbl_filter(function(d)
    return not (d.source == 'caselsp' and d.code == 'pending')
  end, vim.diagnostic.get(buffer, { lnum = row - 1 }))
  local exact = vim.tbl_filter(function(d)
    return d.col <= column and (d.end_lnum and d.end_lnum > d.lnum or column < math.max(d.end_col or 0, d.col + 1))
  end, line)
  return #exact > 0 and exact or line
end

--- Has the diagnostic at the cursor fixed; of several, the one that the user picks.
function M.run(client, buffer)
  local list = at_cursor(buffer)
  local function fix(d)
    if d then
      local arguments = { uri = vim.uri_from_bufnr(buffer), diagnostic = to_lsp(buffer, d, client.offset_encoding) }
      require('caselsp.client').execute(client, 'caselsp.fix', arguments)
    end
  end
  if #list == 0 then
    return require('caselsp.notice').show('There is no diagnostic on this line.')
  elseif #list == 1 then
    return fix(list[1])
  end
  vim.ui.select(list, {
    prompt = 'Fix which one?',
    kind = 'caselsp.diagnostic',
    format_item = function(d)
      return (d.source and d.source .. ': ' or '') .. (d.message:gsub('%s*\n%s*', ' '))
    end,
  }, fix)
end

return M
