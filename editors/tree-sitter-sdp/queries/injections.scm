; What stands out in comments is coloured where an editor has a grammar for them.
([(comment) (block_comment) (doc_comment) (file_doc_comment)] @injection.content
  (#set! injection.language "comment"))
