--- The configuration and its checks.
local M = {}

--- Kinds of fields beside those of type(): a list of strings, a key ('' or false for none).
local defaults = {
  cmd = { 'caselsp', 'serve' },
  autostart = true,
  root_markers = { '.git' },
  settings = {},
  notify = false,
  notice = { seconds = 15, width = 72 },
  progress = 'echo',
  review = {
    float = true,
    border = 'rounded',
    keys = {
      next = ']h',
      previous = '[h',
      accept = 'a',
      reject = 'x',
      accept_file = 'A',
      reject_file = 'X',
      accept_all = 'ga',
      reject_all = 'gx',
      undo = 'u',
      note = 'c',
      send = 'gs',
      open = '<CR>',
      help = 'g?',
      close = 'q',
    },
  },
  pending = {
    lines = true,
    keys = { next = ']h', previous = '[h', accept = '', reject = '', note = '' },
  },
}

M.defaults = defaults

local kinds = {
  notify = { 'function', 'boolean' },
  progress = function(value)
    return vim.tbl_contains({ 'echo', 'none' }, value), '"echo" or "none"'
  end,
  ['review.border'] = { 'string', 'table' },
}

local function islist(value)
  return (vim.islist or vim.tbl_islist)(value)
end

--- Adds to wrong what is wrong in given, a part of the configuration.
local function check(given, known, path, wrong)
  for name, value in pairs(given) do
    local field, default = path .. tostring(name), known[name]
    local kind = kinds[field]
    if type(kind) == 'function' then
      local ok, want = kind(value)
      if not ok then
        table.insert(wrong, ('%s must be %s, not %s'):format(field, want, vim.inspect(value)))
      end
    elseif default == nil then
      table.insert(wrong, ('there is no option %s'):format(field))
    elseif not vim.tbl_contains(kind or { type(default) }, type(value)) then
      local want = table.concat(kind or { type(default) }, ' or ')
      table.insert(wrong, ('%s must be a %s, not %s'):format(field, want, vim.inspect(value)))
    elseif type(default) == 'table' and field ~= 'settings' and not islist(default) then
      check(value, default, field .. '.', wrong)
    end
  end
end

local current

--- Takes options over the defaults. It raises an error that names each wrong field.
function M.set(options)
  if type(options) ~= 'table' then
    error('caselsp: the options must be a table', 0)
  end
  local wrong = {}
  check(options, defaults, '', wrong)
  if #wrong > 0 then
    table.sort(wrong)
    error('caselsp: ' .. table.concat(wrong, '; ') .. '. See :help caselsp-config', 0)
  end
  current = vim.tbl_deep_extend('force', vim.deepcopy(defaults), options)
end

--- The configuration that holds.
function M.get()
  if not current then
    M.set({})
    local ok, why = pcall(M.set, vim.g.caselsp or {})
    if not ok then
      vim.schedule(function()
        require('caselsp.notice').show(why, vim.log.levels.ERROR)
      end)
    end
  end
  return current
end

return M
