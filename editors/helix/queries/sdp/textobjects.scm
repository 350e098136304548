(enum_declaration body: (_) @class.inside) @class.around
(struct_declaration body: (_) @class.inside) @class.around
(message_declaration body: (_) @class.inside) @class.around
(union_declaration body: (_) @class.inside) @class.around
(service_declaration body: (_) @class.inside) @class.around

(method) @function.around
[(field) (enum_member) (alternative)] @entry.around
[(comment) (doc_comment) (file_doc_comment) (block_comment)] @comment.inside
