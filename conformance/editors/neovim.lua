-- Neovim without a screen drives `sdp lsp`, in the working directory. SDP names the program.
local function must(holds, what) if not holds then io.stderr:write(what .. "\n") vim.cmd("cquit 1") end end
local function wait(what, holds) must(vim.wait(20000, holds, 5), what .. " has not come") end

local text = { "package a;", "", "/// A 😀.", "@id(1)", "struct A {", "    /* 😀 */ x: u9,", "}" }
vim.fn.writefile(text, "a.sdp")
vim.cmd("edit a.sdp")
local buffer = vim.api.nvim_get_current_buf()
local client = vim.lsp.start_client({ name = "sdp", cmd = { os.getenv("SDP"), "lsp" }, root_dir = vim.fn.getcwd() })
must(client, "the server does not start")
must(vim.lsp.buf_attach_client(buffer, client), "the buffer has no server")

local function problems() return vim.diagnostic.get(buffer) end
wait("a problem", function() return #problems() == 1 end)
must(problems()[1].code == "S0206" and problems()[1].lnum == 5, "another problem: " .. vim.inspect(problems()))
-- Neovim turns UTF-16 into bytes.
must(problems()[1].col == 18, "it is in column " .. problems()[1].col)

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000)
  must(answers and answers[client] and not answers[client].err, method .. ": " .. vim.inspect(answers))
  return answers[client].result
end
vim.api.nvim_buf_set_lines(buffer, 5, 6, false, { "    /* 😀 */ x: u8,", "  y:str" })
wait("no problem", function() return #problems() == 0 end)
vim.api.nvim_win_set_cursor(0, { 5, 7 })
local hover = ask("textDocument/hover", vim.lsp.util.make_position_params())
must(hover.contents.value:find("A 😀", 1, true) and hover.contents.value:find("type id 1", 1, true), "hover: " .. vim.inspect(hover))
vim.lsp.buf.formatting_sync({}, 20000)
must(vim.api.nvim_buf_get_lines(buffer, 7, 8, false)[1] == "    y: str,", "formatted: " .. vim.inspect(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)))
local renamed = ask("textDocument/rename", vim.tbl_extend("force", vim.lsp.util.make_position_params(), { newName = "Z" }))
vim.lsp.util.apply_workspace_edit(renamed, "utf-16")
must(vim.api.nvim_buf_get_lines(buffer, 4, 5, false)[1] == "struct Z {", "renamed: " .. vim.inspect(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)))
-- Undoing and deleting all of it, by lines and by characters, leaves both sides with the same text.
vim.cmd("normal! u")
vim.cmd("normal! ggdG")
wait("no problem of nothing", function() return #problems() == 0 end)
vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { "struct 😀" })
wait("a problem", function() return #problems() > 0 end)
vim.lsp.stop_client(client)
wait("the end", function() return vim.lsp.client_is_stopped(client) end)
vim.cmd("qall!")
