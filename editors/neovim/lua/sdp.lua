-- The indentation of schemas: what is in brackets, by those of the line before.
local M = {}

-- code is a line without what its strings and comments hold.
local function code(line)
  return (line:gsub('\\.', ""):gsub('"[^"]*"', ""):gsub("//.*", ""))
end

function M.indent(lnum)
  local before = vim.fn.prevnonblank(lnum - 1)
  if before == 0 then
    return 0
  end
  -- Brackets that begin a line have moved it already.
  local text = code(vim.fn.getline(before)):gsub("^[%s%)%]}]+", "")
  local _, opened = text:gsub("[%(%[{]", "")
  local _, closed = text:gsub("[%)%]}]", "")
  local levels = opened - closed
  if vim.fn.getline(lnum):match("^%s*[%)%]}]") then
    levels = levels - 1
  end
  return math.max(0, vim.fn.indent(before) + levels * vim.fn.shiftwidth())
end

return M
