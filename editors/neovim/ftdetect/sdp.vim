" Neovim takes *.sdp for session descriptions by itself.
autocmd BufNewFile,BufRead *.sdp set filetype=sdp
