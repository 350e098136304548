[(enum_body) (field_list) (union_body) (service_body) (arguments)] @indent
["}" ")"] @outdent
