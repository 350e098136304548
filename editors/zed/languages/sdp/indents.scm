(_ "{" "}" @end) @indent
(arguments "(" ")" @end) @indent
