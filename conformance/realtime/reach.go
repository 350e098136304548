package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// reached are the symbols in reach from the beginning of a function without a call of a door.
type reached struct {
	// lacking are the symbols that others have to supply, each with a function that refers to it.
	lacking map[string]string
	// doors are the doors that were found, and not gone through.
	doors map[string]bool
	// pointers is how many calls go through a pointer, behind which nobody looks.
	pointers int
	// instructions is how many there are.
	instructions int
	// lost is how many jumps and calls lead to where there is no instruction, so that the code was misread.
	lost int
}

// step is an instruction that is to be looked at, and the function that it was found in.
type step struct {
	place
	inside string
}

// reach goes through the code from a function on: both ways of each branch, and into each
// function that is called, but through no door. Data is not looked at: what is called by a pointer
// that lies there is counted, and left to the layers that run the path.
func (o *object) reach(root string, doors []*regexp.Regexp) (*reached, error) {
	start, ok := o.at[root]
	if !ok {
		return nil, fmt.Errorf("there is no function %s", root)
	}
	found := &reached{lacking: map[string]string{}, doors: map[string]bool{}}
	seen := map[place]bool{}
	left := []step{{start, root}}
	for len(left) > 0 {
		s := left[len(left)-1]
		left = left[:len(left)-1]
		i := o.code[s.section][s.address]
		if i == nil {
			found.lost++
		}
		if i == nil || seen[s.place] {
			continue
		}
		seen[s.place] = true
		found.instructions++
		left = append(left, o.behind(s, i, doors, found)...)
	}
	return found, nil
}

// behind are the instructions that may come next.
func (o *object) behind(s step, i *instruction, doors []*regexp.Regexp, found *reached) (next []step) {
	isCall, isJump := strings.HasPrefix(i.word, "call"), strings.HasPrefix(i.word, "j")
	isLast := strings.HasPrefix(i.word, "ret") || strings.HasPrefix(i.word, "jmp") || i.word == "ud2" || i.word == "hlt"
	if i.word == "syscall" || i.word == "sysenter" || i.word == "int" {
		found.lacking["the system, by the instruction "+i.word] = o.readable[s.inside]
	}
	// A call or jump that names no function goes to a place in its section, or by a pointer.
	isNamed := false
	for _, r := range i.symbols {
		at, symbol, isHere := o.find(r)
		name := o.readable[symbol]
		switch {
		case matches(doors, name):
			found.doors[name] = true
			isNamed = true
			isLast = isLast || isCall
		case isHere:
			// A function whose address is taken may be called.
			next = append(next, step{at, o.inside(symbol, s.inside)})
			isNamed = true
		case !o.defined[symbol] && !isSection(symbol):
			found.lacking[name] = o.readable[s.inside]
			isNamed = true
		}
	}
	switch {
	case isNamed || !isCall && !isJump:
	case isCall && strings.HasPrefix(i.operands, "*"):
		found.pointers++
	default:
		next = append(next, o.targets(s, i)...)
	}
	if !isLast && i.size > 0 {
		next = append(next, step{place{s.section, s.address + i.size}, s.inside})
	}
	return next
}

// find is the code that a reference leads to, and the function that begins there, if one does.
func (o *object) find(r reference) (at place, symbol string, isHere bool) {
	at, isHere = o.at[r.symbol]
	if !isHere {
		return at, r.symbol, false
	}
	at.address += uint64(r.behind)
	if r.isRelative {
		at.address += 4
	}
	if function, ok := o.named[at]; ok {
		return at, function, true
	}
	return at, r.symbol, true
}

// inside is the name of a function, where a symbol is one and not a section.
func (o *object) inside(symbol, before string) string {
	if isSection(symbol) {
		return before
	}
	return symbol
}

// targets are where a jump within a section leads. One through a table may lead anywhere in it.
func (o *object) targets(s step, i *instruction) (next []step) {
	if !strings.HasPrefix(i.operands, "*") {
		address, err := strconv.ParseUint(strings.Fields(i.operands)[0], 16, 64)
		if err != nil {
			return nil
		}
		return []step{{place{s.section, address}, s.inside}}
	}
	for address := range o.code[s.section] {
		next = append(next, step{place{s.section, address}, s.inside})
	}
	return next
}

// isSection tells whether a reference is to a place in data of the object's own.
func isSection(symbol string) bool {
	return strings.HasPrefix(symbol[strings.LastIndexByte(symbol, '/')+1:], ".")
}
