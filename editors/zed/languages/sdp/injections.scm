; Written by `go run ./tools/editors` from editors/tree-sitter-sdp/queries/injections.scm. DO NOT EDIT.

; What stands out in comments is coloured where an editor has a grammar for them.
([(comment) (block_comment) (doc_comment) (file_doc_comment)] @injection.content
  (#set! injection.language "comment"))
