// Package jsonschema writes types as JSON Schema, draft 2020-12: it accepts the JSON of a
// value where reading it does, as spec/json.md says, but for what docs/json-schema.md lists,
// which that language cannot say. Clauses like [JSON-2.3] are clauses of spec/json.md.
//
// It refuses to know what validates by the schemas.
package jsonschema
