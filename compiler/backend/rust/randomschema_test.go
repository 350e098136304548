package rust_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// sketch writes schemas of all constructs whose names have any length.
type sketch struct {
	*rand.Rand
	text strings.Builder
	// names are the names of this schema, and lengths how long they may be: of packages, types,
	// alternatives and fields.
	names   map[string]bool
	lengths [4]int
	// types are the types that a field may have, sized the types that take bytes, and keys the
	// types of maps' keys.
	types, sized, keys []string
}

// nameLengthMax is how long names are.
const nameLengthMax = 60

// Kinds of names, each with a length of its own.
const (
	packageName = iota
	typeName
	alternativeName
	fieldName
)

// randomSchema is the files of a schema of two packages.
func randomSchema(seed uint64) (files map[string]string, root string) {
	s := &sketch{Rand: rand.New(rand.NewPCG(seed, 1)), names: map[string]bool{}}
	for i, step := range []uint64{1, 7, 23, 49} { // prime to 60, so that 60 seeds give all lengths
		s.lengths[i] = 1 + int(step*seed%nameLengthMax)
	}
	s.keys = []string{"u8", "i64", "bool", "str", "@len(u8) str"}
	s.sized = append([]string{"f32", "f64", "uuid", "timestamp", "duration", "bytes", "@max(70000) bytes", "u16", "u32", "u64"}, s.keys...)
	s.types = s.sized
	other, main := s.name(packageName), s.name(packageName)
	s.declarations(other)
	files = map[string]string{other + ".sdp": s.text.String()}
	s.text.Reset()
	for _, list := range []*[]string{&s.types, &s.sized, &s.keys} {
		for i, t := range *list {
			if 'A' <= t[0] && t[0] <= 'Z' {
				(*list)[i] = "other." + t
			}
		}
	}
	s.declarations(main)
	files[main+".sdp"] = strings.Replace(s.text.String(), ";\n", ";\nimport \""+other+".sdp\" as other;\n", 1)
	return files, main + ".sdp"
}

// name is a new one: about as long as the others of its kind, but now and then of
// any length.
func (s *sketch) name(kind int) string {
	for {
		length := max(1, s.lengths[kind]-s.IntN(4))
		if s.IntN(6) == 0 {
			length = 1 + s.IntN(nameLengthMax)
		}
		if len(s.names) > 12 {
			length = max(length, 3)
		}
		text := make([]byte, length)
		for i := range text {
			text[i] = byte('a' + s.IntN(26))
			if kind != typeName && kind != alternativeName && 0 < i && i < length-1 && text[i-1] != '_' && s.IntN(5) == 0 {
				text[i] = '_'
			}
		}
		if kind == typeName || kind == alternativeName {
			text[0] -= 'a' - 'A'
		}
		name := string(text)
		if spelt := strings.ToLower(strings.ReplaceAll(name, "_", "")); !s.names[spelt] {
			s.names[spelt] = true
			return name
		}
	}
}

func (s *sketch) line(format string, args ...any) { fmt.Fprintf(&s.text, format+"\n", args...) }

func pickOne[T any](s *sketch, list []T) T { return list[s.IntN(len(list))] }

// declarations writes one package.
func (s *sketch) declarations(name string) {
	s.line("package %s;", name)
	id := 1
	constant := s.name(fieldName)
	s.line("const %s: u16 = 3; const %s: str = %q;", strings.ToUpper(constant), strings.ToUpper(s.name(fieldName)), s.name(fieldName))
	for _, closed := range []string{"", "@closed "} {
		enum := s.name(typeName)
		s.line("%senum %s: %s { %s = 0, %s = 1, %s = 70 }", closed, enum, pickOne(s, []string{"u8", "i16", "u64"}),
			s.name(alternativeName), s.name(alternativeName), s.name(alternativeName))
		s.types, s.sized, s.keys = append(s.types, enum), append(s.sized, enum), append(s.keys, enum)
	}
	for i := range 4 + s.IntN(4) {
		declared := s.name(typeName)
		prefix := ""
		if i%4 < 3 && s.IntN(2) == 0 {
			prefix = fmt.Sprintf("@id(%d) ", id)
			id++
		}
		switch i % 4 {
		case 0:
			s.line("%sstruct %s { %s }", prefix, declared, s.fields(pickOne(s, []int{0, 1, 2, 3, 4, 12}), false))
		case 1:
			if s.IntN(3) == 0 {
				prefix += "@keep_unknown "
			}
			s.line("%smessage %s { %s }", prefix, declared, s.fields(pickOne(s, []int{0, 1, 2, 3, 4, 5, 16}), true))
		case 2:
			s.union(prefix, declared)
		case 3:
			s.line("type %s = %s;", declared, strings.TrimPrefix(s.typ(2, true), "?"))
		}
		s.types = append(s.types, declared)
		if i%4 > 0 {
			s.sized = append(s.sized, declared)
		}
	}
	empty, keeps, fixed := s.name(typeName), s.name(typeName), s.name(typeName)
	s.line("struct %s {}\n@keep_unknown message %s {}", empty, keeps)
	s.line("struct %s { %s: f32, %s: [%s]u16 }", fixed, s.name(fieldName), s.name(fieldName), strings.ToUpper(constant))
	s.types = append(s.types, empty, keeps, fixed)
	s.sized = append(s.sized, keeps, fixed)
}

// fields writes the fields of a struct or message.
func (s *sketch) fields(n int, isMessage bool) string {
	var list []string
	since := 1
	for range n {
		if isMessage && s.IntN(3) == 0 {
			since++
		}
		field := s.name(fieldName) + ": "
		if since == 1 {
			field += s.typ(3, false)
		} else {
			field = fmt.Sprintf("@since(%d) ", since) + field + s.missable()
		}
		list = append(list, field)
	}
	return strings.Join(list, ", ")
}

// missable is the type of a field whose segment may be missing, which not every
// type has a value for.
func (s *sketch) missable() string {
	defaulted := []string{"str = \"untitled\"", "?u32 = 7", "f32 = 0.5", "bool = true", "uuid", "[40]u8", "[70000]u8"}
	return pickOne(s, append(defaulted, "[]"+s.typ(2, true), "?"+strings.TrimPrefix(s.typ(2, false), "?"), "map<u8, "+s.typ(2, false)+">"))
}

func (s *sketch) union(prefix, declared string) {
	var list []string
	for tag := range pickOne(s, []int{1, 2, 3, 4, 5, 20}) {
		alternative := s.name(alternativeName)
		switch s.IntN(4) {
		case 0:
		case 1:
			alternative += " { " + s.fields(1+s.IntN(3), false) + " }"
		default:
			alternative += "(" + s.typ(2, false) + ")"
		}
		list = append(list, fmt.Sprintf("%s = %d", alternative, 1+tag*12))
	}
	s.line("%s%sunion %s { %s }", prefix, pickOne(s, []string{"", "@closed "}), declared, strings.Join(list, ", "))
}

// typ writes a type, which takes bytes if it must.
func (s *sketch) typ(depth int, mustTakeBytes bool) string {
	if depth > 0 {
		switch s.IntN(9) {
		case 0:
			return "[]" + s.typ(depth-1, true)
		case 1:
			return fmt.Sprintf("[%d]", pickOne(s, []int{1, 2, 7, 90})) + s.typ(depth-1, true)
		case 2:
			return "?" + strings.TrimPrefix(s.typ(depth-1, false), "?")
		case 3:
			return "map<" + pickOne(s, s.keys) + ", " + s.typ(depth-1, false) + ">"
		case 4:
			return pickOne(s, []string{"@len(u8) ", "@len(u16) ", "@max(99) "}) + "[]" + s.typ(depth-1, true)
		}
	}
	if mustTakeBytes {
		return pickOne(s, s.sized)
	}
	return pickOne(s, s.types)
}
