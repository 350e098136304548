-- Schemas: comments, indentation, and Tree-sitter's colours where the parser is installed.
vim.bo.commentstring = "// %s"
vim.bo.comments = ":///,://!,://,s1:/*,mb:*,ex:*/"
vim.bo.expandtab = true
vim.bo.shiftwidth = 4
vim.bo.softtabstop = 4
vim.bo.autoindent = true
vim.bo.indentexpr = "v:lua.require'sdp'.indent(v:lnum)"
vim.bo.indentkeys = "0},0),0],!^F,o,O"

-- Without the parser this is an ordinary file, and no error.
local buffer = vim.api.nvim_get_current_buf()
if vim.treesitter.start then
  pcall(vim.treesitter.start, buffer, "sdp")
else
  local ok, parser = pcall(vim.treesitter.get_parser, buffer, "sdp")
  if ok then
    vim.treesitter.highlighter.new(parser)
  end
end

-- Neovim 0.11 and later start the server by vim.lsp.enable("sdp"), with lsp/sdp.lua.
vim.b.undo_ftplugin = "setlocal commentstring< comments< expandtab< shiftwidth< softtabstop< autoindent< indentexpr< indentkeys<"
