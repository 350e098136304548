package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// tree is a JSON text in parts, each of them as it was written.
type tree struct {
	raw   string // of a leaf
	open  byte   // '{' or '[', 0 for a leaf
	keys  []string
	parts []*tree
}

// parse takes a text that is JSON.
func parse(text []byte) *tree {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return parsed(decoder)
}

func parsed(decoder *json.Decoder) *tree {
	token, err := decoder.Token()
	if err != nil {
		panic(err) // the text was written by the tool
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return &tree{raw: quoted(token)}
	}
	t := &tree{open: byte(delim)}
	for decoder.More() {
		if delim == '{' {
			key, err := decoder.Token()
			if err != nil {
				panic(err)
			}
			t.keys = append(t.keys, quoted(key))
		}
		t.parts = append(t.parts, parsed(decoder))
	}
	if _, err := decoder.Token(); err != nil {
		panic(err)
	}
	return t
}

// quoted is a token as JSON.
func quoted(token any) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(token); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func (t *tree) String() string {
	var out strings.Builder
	t.write(&out)
	return out.String()
}

func (t *tree) write(out *strings.Builder) {
	if t.open == 0 {
		out.WriteString(t.raw)
		return
	}
	out.WriteByte(t.open)
	for i, part := range t.parts {
		if i > 0 {
			out.WriteByte(',')
		}
		if t.open == '{' {
			out.WriteString(t.keys[i] + ":")
		}
		part.write(out)
	}
	out.WriteByte(t.open + 2) // the closing bracket of either
}

func (t *tree) clone() *tree {
	made := *t
	made.keys = append([]string(nil), t.keys...)
	made.parts = make([]*tree, len(t.parts))
	for i, part := range t.parts {
		made.parts[i] = part.clone()
	}
	return &made
}

// all are the tree and all that is in it.
func (t *tree) all() []*tree {
	found := []*tree{t}
	for _, part := range t.parts {
		found = append(found, part.all()...)
	}
	return found
}

// alike are an object, and one in it that has the same keys: values of a type that holds
// itself.
func (t *tree) alike() (outer, inner *tree) { return t.alikeBelow(map[string]*tree{}) }

// alikeBelow is alike, by the keys of the objects around.
func (t *tree) alikeBelow(around map[string]*tree) (outer, inner *tree) {
	if len(t.keys) > 0 {
		keys := strings.Join(t.keys, ",")
		if around[keys] != nil {
			return around[keys], t
		}
		around[keys] = t
		defer delete(around, keys)
	}
	for _, part := range t.parts {
		if outer, inner = part.alikeBelow(around); inner != nil {
			return outer, inner
		}
	}
	return nil, nil
}
