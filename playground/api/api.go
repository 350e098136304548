// Package api answers the playground's page: it checks a schema, generates code of it, turns a
// value into bytes and back, and compares a schema with an older one. Questions and answers are
// JSON, so that they pass between a page and a worker as texts.
//
// It refuses to know the page, and calls the phases of the compiler as package driver does, without
// files: its answers are the tool's output and files, to which its tests hold it.
package api

import (
	"encoding/json"
	"fmt"
)

// TextBytesMax is how long a text of a question may be.
const TextBytesMax = 1 << 20

// Compiler answers one question after another, and keeps the schemas that it was asked
// about last.
type Compiler struct {
	version string
	recent  []*compilation
}

// New makes a compiler, whose generated code says that it is of a version.
func New(version string) *Compiler { return &Compiler{version: version} }

// question is what all questions say.
type question struct {
	Ask string `json:"ask"`
}

// reply is an answer, or why there is none.
type reply struct {
	Answer  any    `json:"answer"`
	Failure string `json:"failure"`
}

// Answer answers a question. It never fails: what is wrong is the answer.
func (c *Compiler) Answer(text []byte) []byte {
	var r reply
	answer, err := c.answer(text)
	if err != nil {
		r.Failure = err.Error()
	} else {
		r.Answer = answer
	}
	encoded, err := json.Marshal(r)
	if err != nil {
		panic(err) // the answers are of this package alone
	}
	return encoded
}

// answer hands a question to the function that it is for.
func (c *Compiler) answer(text []byte) (any, error) {
	var q question
	if err := json.Unmarshal(text, &q); err != nil {
		return nil, err
	}
	switch q.Ask {
	case "about":
		return c.about(), nil
	case "check":
		return answered(text, c.Check)
	case "format":
		return answered(text, c.Format)
	case "explain":
		return answered(text, c.Explain)
	case "generate":
		return answered(text, c.Generate)
	case "sample":
		return answered(text, c.Sample)
	case "encode":
		return answered(text, c.Encode)
	case "decode":
		return answered(text, c.Decode)
	case "breaking":
		return answered(text, c.Breaking)
	}
	return nil, fmt.Errorf("there is no question %q", q.Ask)
}

// answered reads a question of one kind, and answers it.
func answered[Q, A any](text []byte, answer func(Q) (A, error)) (any, error) {
	var q Q
	if err := json.Unmarshal(text, &q); err != nil {
		return nil, err
	}
	return answer(q)
}
