; Written by `go run ./tools/editors` from editors/tree-sitter-sdp/queries/locals.scm. DO NOT EDIT.

; A file is one scope; what it declares may be used before it stands.
(source_file) @local.scope

(import_statement name: (identifier) @local.definition.namespace)
(const_declaration name: (identifier) @local.definition.constant)
(alias_declaration name: (identifier) @local.definition.type)
(enum_declaration name: (identifier) @local.definition.type)
(struct_declaration name: (identifier) @local.definition.type)
(message_declaration name: (identifier) @local.definition.type)
(union_declaration name: (identifier) @local.definition.type)
(service_declaration name: (identifier) @local.definition.type)

(type_name . (identifier) @local.reference)
(constant_name . (identifier) @local.reference)
