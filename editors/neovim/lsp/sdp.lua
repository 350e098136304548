-- The language server, for vim.lsp.enable("sdp").
return {
  cmd = { "sdp", "lsp" },
  filetypes = { "sdp" },
  root_markers = { "sdp.toml", ".git" },
}
