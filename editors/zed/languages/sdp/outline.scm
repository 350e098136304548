(const_declaration "const" @context name: (_) @name) @item
(alias_declaration "type" @context name: (_) @name) @item
(enum_declaration "enum" @context name: (_) @name) @item
(struct_declaration "struct" @context name: (_) @name) @item
(message_declaration "message" @context name: (_) @name) @item
(union_declaration "union" @context name: (_) @name) @item
(service_declaration "service" @context name: (_) @name) @item

(enum_member name: (_) @name) @item
(field name: (_) @name) @item
(alternative name: (_) @name) @item
(method kind: _ @context name: (_) @name) @item

(doc_comment) @annotation
