package jsonschema

import (
	"bytes"
	"encoding/json"
)

// node is a schema, or a part of one. Its members are written in this order, and absent members are
// left out.
type node struct {
	Schema               string      `json:"$schema,omitempty"`
	ID                   string      `json:"$id,omitempty"`
	Ref                  string      `json:"$ref,omitempty"`
	Title                string      `json:"title,omitempty"`
	Description          string      `json:"description,omitempty"`
	Deprecated           bool        `json:"deprecated,omitempty"`
	Default              any         `json:"default,omitempty"`
	Type                 string      `json:"type,omitempty"`
	Const                *string     `json:"const,omitempty"`
	Enum                 []any       `json:"enum,omitempty"`
	Minimum              json.Number `json:"minimum,omitempty"`
	ExclusiveMinimum     json.Number `json:"exclusiveMinimum,omitempty"`
	Maximum              json.Number `json:"maximum,omitempty"`
	ExclusiveMaximum     json.Number `json:"exclusiveMaximum,omitempty"`
	MaxLength            *uint64     `json:"maxLength,omitempty"`
	Pattern              string      `json:"pattern,omitempty"`
	ContentEncoding      string      `json:"contentEncoding,omitempty"`
	Items                *node       `json:"items,omitempty"`
	MinItems             *uint64     `json:"minItems,omitempty"`
	MaxItems             *uint64     `json:"maxItems,omitempty"`
	Properties           members     `json:"properties,omitempty"`
	PropertyNames        *node       `json:"propertyNames,omitempty"`
	AdditionalProperties any         `json:"additionalProperties,omitempty"` // a *node, or false
	Required             []string    `json:"required,omitempty"`
	MinProperties        *uint64     `json:"minProperties,omitempty"`
	MaxProperties        *uint64     `json:"maxProperties,omitempty"`
	DependentSchemas     members     `json:"dependentSchemas,omitempty"`
	AnyOf                []*node     `json:"anyOf,omitempty"`
	AllOf                []*node     `json:"allOf,omitempty"`
	Not                  *node       `json:"not,omitempty"`
	Defs                 members     `json:"$defs,omitempty"`
}

// members are the members of an object, in their order.
type members []member

// member is a key and its schema; nil accepts nothing.
type member struct {
	key  string
	node *node
}

// MarshalJSON writes the members as an object.
func (m members) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, one := range m {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(marshal(one.key))
		out.WriteByte(':')
		if one.node == nil {
			out.WriteString("false")
			continue
		}
		out.Write(marshal(one.node))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// marshal writes what this package made as JSON: <, > and & as they are.
func marshal(v any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic("jsonschema: " + err.Error()) // there is nothing in it that JSON has no form for
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func number[T ~uint64 | ~int](n T) *uint64 {
	made := uint64(n)
	return &made
}
