; Written by `go run ./tools/editors` from editors/tree-sitter-sdp/queries/highlights.scm. DO NOT EDIT.

; The colours of schemas. Each place has one capture, so that it doesn't matter which
; pattern wins where several match.

["package" "import" "as" "const" "type" "enum" "struct" "message" "union" "service" "call" "stream" "event" "reserved"] @keyword

(package_name (identifier) @module)
(import_statement name: (identifier) @module)

(const_declaration name: (identifier) @constant)
(alias_declaration name: (identifier) @type)
(enum_declaration name: (identifier) @type)
(struct_declaration name: (identifier) @type)
(message_declaration name: (identifier) @type)
(union_declaration name: (identifier) @type)
(service_declaration name: (identifier) @type)

(enum_member name: (identifier) @constant)
(alternative name: (identifier) @constant)
(reserved_statement name: (identifier) @constant)
(field name: (identifier) @variable.member)
(method name: (identifier) @function.method)

(attribute "@" @attribute)
(attribute_name (identifier) @attribute)
(attribute_name "." @attribute)
(argument name: (identifier) @variable.parameter)

["Option" "Box" "map"] @type.builtin
((type_name . (identifier) @type.builtin .)
  (#any-of? @type.builtin
    "bool" "u8" "u16" "u32" "u64" "i8" "i16" "i32" "i64" "f32" "f64" "timestamp" "duration" "uuid" "str" "string" "bytes"))
((type_name . (identifier) @type .)
  (#not-any-of? @type
    "bool" "u8" "u16" "u32" "u64" "i8" "i16" "i32" "i64" "f32" "f64" "timestamp" "duration" "uuid" "str" "string" "bytes"))
(type_name "." (identifier) @type .)
(type_name (identifier) @module . ".")

(constant_name (identifier) @constant .)
; What a constant's name begins with is an enum, or what is imported.
((constant_name (identifier) @type . ".")
  (#match? @type "^[A-Z]"))
((constant_name (identifier) @module . ".")
  (#not-match? @module "^[A-Z]"))

(boolean) @boolean
(integer) @number
(float) @number.float
(string "\"" @string)
(string_content) @string
(escape) @string.escape

["=" "->" ".." "?"] @operator
["," ";" ":"] @punctuation.delimiter
(package_name "." @punctuation.delimiter)
(type_name "." @punctuation.delimiter)
(constant_name "." @punctuation.delimiter)
["{" "}" "(" ")" "[" "]" "<" ">"] @punctuation.bracket

[(comment) (block_comment)] @comment
[(doc_comment) (file_doc_comment)] @comment.documentation
