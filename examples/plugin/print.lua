-- Prints the plugins of a registry that have most parameters, and writes the registry anew.
local plugins = require("plugins")

local from, to = arg[1], arg[2]
local file = assert(io.open(from, "rb"))
local registry = plugins.decode.PluginRegistry(file:read("a"))
file:close()

table.sort(registry.plugins, function(a, b)
  return #a.parameters ~= #b.parameters and #a.parameters > #b.parameters or #a.parameters == #b.parameters and a.name < b.name
end)
for i = 1, 3 do
  print(("%3d  %s"):format(#registry.plugins[i].parameters, registry.plugins[i].name))
end

file = assert(io.open(to, "wb"))
file:write(plugins.encode.PluginRegistry(registry))
file:close()
