package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// plain are the functions of the system's library that everybody may call: they copy, fill and
// compare memory, which compilers also call for code that names none of them.
var plain = []string{"memcpy", "memmove", "memset", "memcmp"}

// symbols looks at all code that an operation can reach without being refused: at what others have to supply for
// it. Calls by a pointer are counted: there are none but calls of a memory resource, and of functions that give
// memory back.
func symbols(of *language, _ options) (*findings, error) {
	found := &findings{wrong: map[string]string{}}
	var objects []*object
	for _, file := range of.objects {
		o, err := disassemble(file)
		if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
	called, doors := map[string]bool{}, map[string]bool{}
	look := func(symbol string, what operation) error {
		for _, o := range objects {
			if _, ok := o.at[symbol]; !ok {
				continue
			}
			walls := of.doors
			if what.grows {
				walls = slices.Concat(walls, of.growth)
			}
			r, err := o.reach(symbol, walls)
			if err != nil {
				return err
			}
			found.seen = append(found.seen, what.name)
			if strings.HasPrefix(symbol, "path_") {
				for name := range r.lacking {
					called[name] = true
				}
				maps.Copy(doors, r.doors)
			}
			found.wrong[what.name] = faultOf(r, what)
			return nil
		}
		return fmt.Errorf("there is no function %s", symbol)
	}
	for _, o := range of.operations {
		if err := look("path_"+o.name, o); err != nil {
			return nil, err
		}
	}
	for _, name := range faults {
		if err := look("fault_"+name, operation{name: name}); err != nil {
			return nil, err
		}
	}
	found.about = "they call " + strings.Join(slices.Sorted(maps.Keys(called)), ", ") + " alone"
	found.details = []string{"the path ends at " + strings.Join(kinds(doors), ", ")}
	return found, nil
}

// faultOf describes the reached symbols that a real-time thread could not bear.
func faultOf(r *reached, what operation) string {
	var lacking []string
	for _, name := range slices.Sorted(maps.Keys(r.lacking)) {
		if !slices.Contains(plain, name) {
			lacking = append(lacking, fmt.Sprintf("%s (called by %s)", name, r.lacking[name]))
		}
	}
	switch {
	case len(lacking) > 0:
		return "it can reach " + strings.Join(lacking, ", ")
	case r.pointers > 0 && !what.takesArena && !what.grows:
		return fmt.Sprintf("it calls by a pointer in %d places", r.pointers)
	case r.instructions < 3:
		return "it has no code"
	case r.lost > 0:
		return fmt.Sprintf("%d of its jumps lead nowhere", r.lost)
	}
	return ""
}

var (
	parameters = regexp.MustCompile(`<[^<>]*>`)
	mangling   = regexp.MustCompile(`::h[0-9a-f]{16}$|\[[0-9a-f]+\]`)
)

// kinds are the names of doors without the types that they are made for.
func kinds(doors map[string]bool) []string {
	all := map[string]bool{}
	for door := range doors {
		name := mangling.ReplaceAllString(door, "")
		if strings.Contains(name, "(") {
			for parameters.MatchString(name) {
				name = parameters.ReplaceAllString(name, "")
			}
			name, _, _ = strings.Cut(name, "(")
			if at := strings.LastIndexByte(name, ' '); !strings.HasPrefix(name, "operator ") {
				name = name[at+1:]
			}
		}
		all[name] = true
	}
	return slices.Sorted(maps.Keys(all))
}
