-- The server's configuration for Neovim 0.11 and newer. vim.lsp.config('caselsp', {...}) overrides it.
return require('caselsp.client').configuration()
