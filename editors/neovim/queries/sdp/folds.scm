; Written by `go run ./tools/editors` from editors/tree-sitter-sdp/queries/folds.scm. DO NOT EDIT.

[(enum_body) (field_list) (union_body) (service_body) (arguments) (block_comment)] @fold
