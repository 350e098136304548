; Written by `go run ./tools/editors` from editors/tree-sitter-sdp/queries/indents.scm. DO NOT EDIT.

[(enum_body) (field_list) (union_body) (service_body) (arguments)] @indent.begin
["}" ")"] @indent.branch @indent.end
[(comment) (doc_comment) (file_doc_comment) (block_comment)] @indent.ignore
