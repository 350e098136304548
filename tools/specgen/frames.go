package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// frames is what frames.toml says.
type frames struct {
	Flags []flagBit   `toml:"flag"`
	Types []frameType `toml:"frame"` // in the order of the table of MXP-5.3
}

type flagBit struct {
	Name    string `toml:"name"`
	Number  int    `toml:"number"`
	Meaning string `toml:"meaning"`
}

type frameType struct {
	Name    string   `toml:"name"`
	Number  int      `toml:"number"`
	Meaning string   `toml:"meaning"`
	IDs     []string `toml:"id"`
	Payload []string `toml:"payload"`
	Value   bool     `toml:"value"`
	Records bool     `toml:"records"`
	Flags   []string `toml:"flags"`
	States  []string `toml:"states"`
}

// sides are the sides that an exchange can be of, with their names in the spec.
var sides = map[string]string{"sender": "the sender", "receiver": "the receiver", "either": "either side"}

// exchanges are what a frame can belong to, with their names in the spec.
var exchanges = map[string]string{
	"call": "a Call", "stream": "a stream", "event": "an Event", "agents": "an agent request", "request": "a request", "ping": "a Ping",
}

// states are the states in which a frame may come, in their order.
var states = []string{"greeting", "comparing", "ready"}

// idRules are what a session checks of an id, with what each means. They are the
// enumerators of every language, of which one is a keyword of C++.
var idRules = []struct{ name, meaning string }{
	{"zero", "It is 0: the frame is about the session."},
	{"new", "It is the sender's next: the frame begins something."},
	{"of_sender", "It is one that the sender gave out."},
	{"of_receiver", "It is one that the receiver gave out."},
	{"of_receiver_or_zero", "It is one that the receiver gave out, or 0."},
	{"of_either", "It is one that either side gave out."},
}

// idRule is the rule for the ids of a type; empty if what they name makes none.
func (t *frameType) idRule() string {
	named := slices.Clone(t.IDs) // zero, new or sides
	for i, id := range named {
		if _, side, is := strings.Cut(id, " of "); is {
			named[i] = side
		}
	}
	only := func(names ...string) bool {
		return !slices.ContainsFunc(named, func(n string) bool { return !slices.Contains(names, n) })
	}
	switch {
	case len(named) == 0:
		return ""
	case only("zero"), only("new"):
		return named[0]
	case only("sender"), only("receiver"):
		return "of_" + named[0]
	case only("receiver", "zero"):
		return "of_receiver_or_zero"
	case only("sender", "receiver", "either"):
		return "of_either"
	}
	return ""
}

// names are the names of the flags, in the order of their bits.
func (f *frames) names() (list []string) {
	for _, flag := range f.Flags {
		list = append(list, flag.Name)
	}
	return list
}

// bits are the bits of a type's flags.
func (f *frames) bits(t *frameType) (bits int) {
	for _, flag := range f.Flags {
		if slices.Contains(t.Flags, flag.Name) {
			bits |= flag.Number
		}
	}
	return bits
}

// isOwn reports whether the payload of the type's frames is the protocol's own.
func (t *frameType) isOwn() bool { return !t.Value && !t.Records }

// states are the states in which frames of the type may come.
func (t *frameType) states() []string {
	if len(t.States) == 0 {
		return []string{"ready"}
	}
	return t.States
}

// byNumber are the types in ascending order of their numbers.
func (f *frames) byNumber() []frameType {
	return slices.SortedFunc(slices.Values(f.Types), func(a, b frameType) int { return a.Number - b.Number })
}

// snake turns StreamOpen into stream_open.
func (t *frameType) snake() string {
	return strings.ToLower(capital.ReplaceAllString(t.Name, "${1}_$2"))
}

var capital = regexp.MustCompile(`([a-z])([A-Z])`)

func loadFrames(dir string) (*frames, error) {
	f := new(frames)
	if err := read(filepath.Join(dir, "frames.toml"), f); err != nil {
		return nil, err
	}
	return f, f.check()
}

var camelCase = regexp.MustCompile(`^([A-Z][a-z]+)+$`)

// check refuses frames that the outputs cannot express.
func (f *frames) check() error {
	flags, bits := map[string]bool{}, 1
	for _, flag := range f.Flags {
		if !snakeCase.MatchString(flag.Name) || flags[flag.Name] || flag.Meaning == "" {
			return fmt.Errorf("frames.toml: %q is not a flag's name, or not a new one, or has no meaning", flag.Name)
		}
		if flag.Number != bits {
			return fmt.Errorf("frames.toml: the flag %s is %d, but is bit %d", flag.Name, flag.Number, bits)
		}
		flags[flag.Name], bits = true, bits<<1
	}
	seen := map[any]bool{}
	for _, t := range f.Types {
		if !camelCase.MatchString(t.Name) || seen[t.Name] || t.Meaning == "" {
			return fmt.Errorf("frames.toml: %q is not a type's name, or not a new one, or has no meaning", t.Name)
		}
		if t.Number < 0 || t.Number > 255 || seen[t.Number] {
			return fmt.Errorf("frames.toml: %s has the number %d, which is no byte, or another's", t.Name, t.Number)
		}
		seen[t.Name], seen[t.Number] = true, true
		for _, id := range t.IDs {
			if kind, side, is := strings.Cut(id, " of "); is && (sides[side] == "" || exchanges[kind] == "") {
				return fmt.Errorf("frames.toml: %s has the id %q, which names nothing", t.Name, id)
			}
		}
		if t.idRule() == "" {
			return fmt.Errorf("frames.toml: %s has ids %q, for which there is no rule", t.Name, t.IDs)
		}
		if t.Value && t.Records {
			return fmt.Errorf("frames.toml: %s has a value and records", t.Name)
		}
		for _, flag := range t.Flags {
			if !flags[flag] {
				return fmt.Errorf("frames.toml: %s has the flag %q, which is not defined", t.Name, flag)
			}
		}
		for _, state := range t.States {
			if !slices.Contains(states, state) {
				return fmt.Errorf("frames.toml: %s comes in the state %q, which there is not", t.Name, state)
			}
		}
	}
	return nil
}
