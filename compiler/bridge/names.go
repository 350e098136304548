package bridge

import "google.golang.org/protobuf/reflect/protoreflect"

// camel is a name of Protocol Buffers as protoc-gen-go spells it, whose rule it is: an
// underscore before a small letter goes, and that letter becomes a capital. Names within
// others are joined by an underscore.
func camel(name string) string {
	var made []byte
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '.' && i+1 < len(name) && isSmall(name[i+1]):
		case c == '.':
			made = append(made, '_')
		case c == '_' && (i == 0 || name[i-1] == '.'):
			made = append(made, 'X')
		case c == '_' && i+1 < len(name) && isSmall(name[i+1]):
		case '0' <= c && c <= '9':
			made = append(made, c)
		default:
			if isSmall(c) {
				c -= 'a' - 'A'
			}
			made = append(made, c)
			for ; i+1 < len(name) && isSmall(name[i+1]); i++ {
				made = append(made, name[i+1])
			}
		}
	}
	return string(made)
}

func isSmall(c byte) bool { return 'a' <= c && c <= 'z' }

// typeName is the name of a message's or enum's type.
func typeName(d protoreflect.Descriptor) string {
	if outer, is := d.Parent().(protoreflect.MessageDescriptor); is {
		return camel(within(outer) + "." + string(d.Name()))
	}
	return camel(string(d.Name()))
}

// within is the name of a message without its package.
func within(m protoreflect.MessageDescriptor) string {
	if outer, is := m.Parent().(protoreflect.MessageDescriptor); is {
		return within(outer) + "." + string(m.Name())
	}
	return string(m.Name())
}

// members are the names of a struct's members, by the numbers of fields and the names of oneofs,
// and the names of the structs around the fields of oneofs.
type members struct {
	fields  map[protoreflect.FieldNumber]string
	oneofs  map[protoreflect.Name]string
	holders map[protoreflect.FieldNumber]string
}

// membersOf makes names that differ from the methods of every message, from earlier names and from
// their getters.
func membersOf(m protoreflect.MessageDescriptor) members {
	used := map[string]bool{}
	for _, name := range []string{"Reset", "String", "ProtoMessage", "Marshal", "Unmarshal", "ExtensionRangeArray", "ExtensionMap", "Descriptor"} {
		used[name] = true
	}
	unique := func(name string, hasGetter bool) string {
		for used[name] || hasGetter && used["Get"+name] {
			name += "_"
		}
		used[name] = true
		used["Get"+name] = hasGetter
		return name
	}
	types := map[string]bool{}
	for i := range m.Messages().Len() {
		types[typeName(m.Messages().Get(i))] = true
	}
	for i := range m.Enums().Len() {
		types[typeName(m.Enums().Get(i))] = true
	}
	made := members{map[protoreflect.FieldNumber]string{}, map[protoreflect.Name]string{}, map[protoreflect.FieldNumber]string{}}
	for i := range m.Fields().Len() {
		fd := m.Fields().Get(i)
		name := unique(camel(string(fd.Name())), true)
		made.fields[fd.Number()] = name
		od := fd.ContainingOneof()
		if od == nil {
			continue
		}
		if od.Fields().Get(0) == fd {
			made.oneofs[od.Name()] = unique(camel(string(od.Name())), false)
		}
		holder := typeName(m) + "_" + name
		for types[holder] {
			holder += "_"
		}
		made.holders[fd.Number()] = holder
	}
	return made
}
