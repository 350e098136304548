-- Neovim opens a schema, knows its type, colours it by the grammar, and hears the language
-- server. `nvim --headless -u NONE -l` came with 0.9, so that this is a file for luafile.

local failures = {}

local function equal(what, got, want)
  if not vim.deep_equal(got, want) then
    table.insert(failures, string.format("%s is %s, not %s", what, vim.inspect(got), vim.inspect(want)))
  end
end

local root = vim.env.SDP_ROOT

vim.cmd("filetype plugin on")
vim.cmd("edit " .. root .. "/compiler/testdata/valid/host.sdp")
equal("the file's type", vim.bo.filetype, "sdp")
equal("the comments", vim.bo.commentstring, "// %s")
equal("an active highlighter", vim.treesitter.highlighter.active[vim.api.nvim_get_current_buf()] ~= nil, true)

-- The classes of the queries, at the places of words.
local parser = vim.treesitter.get_parser(0, "sdp")
local tree = parser:parse()[1]
equal("a mistake in the tree", tree:root():has_error(), false)
local get = vim.treesitter.query and vim.treesitter.query.get or vim.treesitter.get_query
local query = get("sdp", "highlights")
local text_of = vim.treesitter.get_node_text or vim.treesitter.query.get_node_text
local classes = {}
for id, node in query:iter_captures(tree:root(), 0, 0, -1) do
  local text = text_of(node, 0)
  classes[text] = classes[text] or {}
  classes[text][query.captures[id]] = true
end
for text, class in pairs({
  ["struct"] = "keyword",
  ["Parameter"] = "type",
  ["u64"] = "type.builtin",
  ["address"] = "variable.member",
  ["Effect"] = "constant",
  ["registry"] = "module",
  ["list"] = "function.method",
  ["idempotent"] = "attribute",
  ["0xFFFF_FFFF_FFFF_FFFF"] = "number",
  ["-1.5e-3"] = "number.float",
  ["\\u{2603}"] = "string.escape",
  ["/// Plays notes."] = "comment.documentation",
}) do
  equal("the class of " .. text, classes[text], { [class] = true })
end
for _, name in ipairs({ "folds", "indents", "injections", "locals" }) do
  equal("the query " .. name, get("sdp", name) ~= nil, true)
end
vim.cmd("redraw")

-- Lines that are indented anew stay as the formatter has them.
local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.cmd("silent normal! gg=G")
for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
  equal("the indentation of line " .. number, line, lines[number])
end
vim.cmd("bwipeout!")

-- The server, by the table that vim.lsp.enable reads.
local folder = vim.fn.tempname()
vim.fn.mkdir(folder, "p")
vim.fn.writefile({ "package mine;", "", "struct Mine { a: Missing }" }, folder .. "/mine.sdp")
vim.cmd("edit " .. folder .. "/mine.sdp")
local config = dofile(root .. "/editors/neovim/lsp/sdp.lua")
equal("the command", config.cmd, { "sdp", "lsp" })
config.cmd = { vim.env.SDP_PROGRAM, "lsp" }
config.name = "sdp"
config.root_dir = folder
local client = vim.lsp.start_client(config)
vim.lsp.buf_attach_client(0, client)
vim.wait(30000, function()
  return #vim.diagnostic.get(0) > 0
end)
local found = vim.diagnostic.get(0)
equal("the line of the problem", found[1] and found[1].lnum, 2)
vim.lsp.stop_client(client)

if #failures > 0 then
  io.stderr:write(table.concat(failures, "\n") .. "\n")
  vim.cmd("cquit 1")
end
io.stderr:write("all is as it should be\n")
vim.cmd("qall!")
