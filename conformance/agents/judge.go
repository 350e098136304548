package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/interp"
)

// judgement is the program that asks ajv: a line for a text, and a line back.
type judgement struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

func start(script string) (*judgement, error) {
	command := exec.Command("node", script)
	command.Stderr = os.Stderr
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &judgement{command, in, bufio.NewReader(out)}, command.Start()
}

func (j *judgement) end() error {
	return errors.Join(j.in.Close(), j.command.Wait())
}

// answer is what ajv says of a text on which it and the tool differ.
type answer struct {
	// Written is the text as JSON.stringify has it, of what JSON.parse has kept.
	Written []byte `json:"written"`
	Why     any    `json:"why"`
}

// ask is nil where ajv says of a text what the tool does.
func (j *judgement) ask(schema, text string, accepted bool) (*answer, error) {
	line, err := json.Marshal(map[string]any{"schema": schema, "text": []byte(text), "accepted": accepted})
	if err != nil {
		return nil, err
	}
	if _, err := j.in.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	said, err := j.out.ReadBytes('\n')
	if err != nil || string(said) == "=\n" {
		return nil, err
	}
	made := &answer{}
	return made, json.Unmarshal(said, made)
}

// report counts the compared texts.
type report struct {
	accepted, refused, wrong int
	seen                     map[string]int // why one accepts alone
}

func (r *report) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d texts accepted by both, %d refused by both\n", r.accepted, r.refused)
	for _, why := range slices.Sorted(maps.Keys(r.seen)) {
		fmt.Fprintf(&out, "%6d %s\n", r.seen[why], why)
	}
	return out.String()
}

// compare asks both about a text. Where they differ, docs/json-schema.md has to say why.
func (r *report) compare(s *subject, text string, ajv *judgement) error {
	refusal := s.accepts([]byte(text))
	differs, err := ajv.ask(s.schema, text, refusal == nil)
	switch {
	case err != nil:
		return err
	case differs != nil:
		if why := s.reason(text, differs.Written, refusal); why != "" {
			r.seen[why]++
			return nil
		}
		if r.wrong++; r.wrong <= 20 {
			fmt.Printf("%s: the tool says %v, ajv %v of %.600q, and %v of what JSON.parse keeps\n", s.name, refusal, differs.Why, text, s.accepts(differs.Written))
		}
	case refusal == nil:
		r.accepted++
	default:
		r.refused++
	}
	return nil
}

// reason is that for which ajv alone accepts a text, or refuses it; empty if there is none.
func (s *subject) reason(text string, written []byte, refusal error) string {
	ajv := refusal != nil
	agrees := func(text []byte) bool { return (s.accepts(text) == nil) == ajv }
	if len(written) == 0 || !json.Valid(written) {
		return ""
	}
	kept := exact(written)
	if agrees(kept) {
		return "lost by JSON.parse: " + lost(text)
	}
	refusal = s.accepts(kept)
	if !ajv || refusal == nil {
		return ""
	}
	if strings.Contains(refusal.Error(), "nested too deeply") {
		return "nested deeper than 64"
	}
	var found *interp.Refusal
	if errors.As(refusal, &found) && (found.Kind == interp.ErrLimitMax || found.Kind == interp.ErrValueTooLarge) && (agrees(narrow(kept, false)) || agrees(narrow(kept, true))) {
		return "more bytes than characters"
	}
	return ""
}

// narrow has one byte for each character of strings, and of keys if those are meant, too.
func narrow(text []byte, keys bool) []byte {
	t := parse(text)
	one := func(r rune) rune {
		if r > 0x7f {
			return 'x'
		}
		return r
	}
	for _, part := range t.all() {
		part.raw = strings.Map(one, part.raw)
		for i := range part.keys {
			if keys {
				part.keys[i] = strings.Map(one, part.keys[i])
			}
		}
	}
	return []byte(t.String())
}

// bounds are the bounds of 64 bits that a validator in JavaScript rounds, too, as it has them.
var bounds = map[string]string{
	"9223372036854775808":  "9223372036854775807",
	"18446744073709551616": "18446744073709551615",
}

// exact has the digits of numbers that a double holds; of a bound, the digits of the bound.
func exact(text []byte) []byte {
	t := parse(text)
	for _, part := range t.all() {
		if n, err := strconv.ParseFloat(part.raw, 64); err == nil && math.Abs(n) >= 1<<53 {
			part.raw = strconv.FormatFloat(n, 'f', 0, 64)
			if bound, is := bounds[part.raw]; is {
				part.raw = bound
			}
		}
	}
	return []byte(t.String())
}

// lost names what is the first to be lost of a text: halves of pairs, members that are there
// twice, or digits of numbers.
func lost(text string) string {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var open []map[string]bool // the keys of each bracket; nil for an array
	key := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return "numbers"
		}
		switch found := token.(type) {
		case json.Delim:
			switch found {
			case '{':
				open = append(open, map[string]bool{})
			case '[':
				open = append(open, nil)
			default:
				open = open[:len(open)-1]
			}
			key = len(open) > 0 && open[len(open)-1] != nil
			continue
		case string:
			if key {
				if open[len(open)-1][found] {
					return "members that are there twice"
				}
				open[len(open)-1][found] = true
				key = false
				continue
			}
			if strings.ContainsRune(found, '\ufffd') {
				return "halves of surrogate pairs"
			}
		}
		key = len(open) > 0 && open[len(open)-1] != nil
	}
}
