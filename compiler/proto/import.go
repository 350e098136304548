package proto

import (
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/format"
	"github.com/serial-data-protocol/sdp/compiler/source"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// Options are what a user decides about an import.
type Options struct {
	// Bytes are full names of strings that become bytes, or of messages and packages all of
	// whose strings do.
	Bytes []string
	// LeaveOut leaves out what can't be held. Without it that is an error.
	LeaveOut bool
	// Existing is the text of a .sdp that is there, by the path of Output.
	Existing func(path string) (name, text string, ok bool)
}

// Output is a .sdp that was made.
type Output struct {
	// Path is that of the .proto with another ending, with slashes.
	Path, Text string
}

// importer is one import.
type importer struct {
	options  Options
	schema   *Schema
	problems *diag.List
	targets  map[string]*target // by the path of the .proto
	used     map[string]bool    // of options.Bytes
}

// target is a .sdp that is made.
type target struct {
	file protoreflect.FileDescriptor
	path string
	pkg  string
	// old is the existing .sdp; nil for nothing.
	old *state
	// names are the names of the file, and called the names of declarations by their names in the
	// .proto without the package.
	names  nameSet
	called map[string]string
	// imports are the names of packages by the paths of their files.
	imports map[string]string
	added   []string
	body    strings.Builder
	seen    map[string]bool // of old.declared
	notes   []*note
}

// Import makes a .sdp of each requested file, and of the files whose types they use. It returns nil
// if there is an error among the problems.
func Import(schema *Schema, options Options, problems *diag.List) []Output {
	im := &importer{
		options: options, schema: schema, problems: problems,
		targets: map[string]*target{}, used: map[string]bool{},
	}
	needed := map[string]bool{}
	for _, file := range schema.Roots {
		need(file, needed)
	}
	packages := map[string]bool{}
	var all []*target
	for _, file := range schema.Files {
		if !needed[file.Path()] {
			continue
		}
		t := im.begin(file, packages)
		if t == nil {
			continue
		}
		all = append(all, t)
		im.targets[file.Path()] = t
	}
	if problems.HasErrors() {
		return nil
	}
	for _, t := range all {
		im.name(t)
	}
	var made []Output
	for _, t := range all {
		im.fill(t)
		made = append(made, Output{t.path, t.text()})
		im.tell(t)
	}
	for _, asked := range options.Bytes {
		if !im.used[asked] {
			problems.Error(codeNotUTF8, source.Span{}, "no string is called %s, or stands within it", asked).
				WithHelp("give the full name of a field, message or package")
		}
	}
	if problems.HasErrors() {
		return nil
	}
	return made
}

// need notes a file and the files whose types it uses.
func need(file protoreflect.FileDescriptor, imports map[string]bool) {
	if imports[file.Path()] {
		return
	}
	imports[file.Path()] = true
	for _, m := range allMessages(file.Messages()) {
		for i := range m.Fields().Len() {
			fd := m.Fields().Get(i)
			if fd.IsMap() {
				fd = fd.MapValue()
			}
			if d := declares(fd); d != nil {
				need(d.ParentFile(), imports)
			}
		}
	}
	for i := range file.Services().Len() {
		methods := file.Services().Get(i).Methods()
		for j := range methods.Len() {
			need(methods.Get(j).Input().ParentFile(), imports)
			need(methods.Get(j).Output().ParentFile(), imports)
		}
	}
}

// begin makes the target of a file, with its existing .sdp.
func (im *importer) begin(file protoreflect.FileDescriptor, packages map[string]bool) *target {
	t := &target{
		file: file, path: strings.TrimSuffix(file.Path(), ".proto") + ".sdp",
		names: nameSet{}, called: map[string]string{}, imports: map[string]string{}, seen: map[string]bool{},
	}
	t.pkg = packageName(file)
	if packages[t.pkg] {
		t.pkg = pathName(file)
	}
	if name, text, found := im.options.Existing(t.path); found {
		if t.old = read(name, text, im.problems); t.old == nil {
			return nil
		}
		if t.old.tree.Package != nil {
			t.pkg = t.old.tree.Package.Name.String()
		}
		for _, d := range t.old.tree.Declarations {
			t.names.add(d.DeclarationHead().Name.Text)
		}
		for _, i := range t.old.tree.Imports {
			if i.Name != nil {
				t.names.add(i.Name.Text)
				t.imports[path.Join(path.Dir(t.path), i.Path)] = i.Name.Text
			}
		}
	}
	packages[t.pkg] = true
	return t
}

// within is the name of a thing without its package.
func within(d protoreflect.Descriptor) string {
	return strings.TrimPrefix(strings.TrimPrefix(string(d.FullName()), string(d.ParentFile().Package())), ".")
}

// name gives every declaration of a file its name: first what has one.
func (im *importer) name(t *target) {
	each := func(keep bool, d protoreflect.Descriptor, want ...string) {
		key := within(d)
		if old := t.existing(d); old != nil {
			if keep {
				t.called[key] = old.DeclarationHead().Name.Text
			}
		} else if !keep {
			t.called[key] = t.names.free(want...)
		}
	}
	for _, keep := range []bool{true, false} {
		for _, m := range allMessages(t.file.Messages()) {
			outer := t.outer(m)
			each(keep, m, typeName(outer, m))
			for i := range m.Enums().Len() {
				each(keep, m.Enums().Get(i), typeName(t.called[within(m)], m.Enums().Get(i)))
			}
		}
		for i := range t.file.Enums().Len() {
			each(keep, t.file.Enums().Get(i), typeName("", t.file.Enums().Get(i)))
		}
		for i := range t.file.Services().Len() {
			name := camel(string(t.file.Services().Get(i).Name()))
			each(keep, t.file.Services().Get(i), name, name+"Service")
		}
		// Unions have no names of their own in a .proto.
		for _, m := range allMessages(t.file.Messages()) {
			for _, od := range oneofs(m) {
				name := t.called[within(m)] + camel(string(od.Name()))
				each(keep, od, name, name+"Oneof")
			}
		}
	}
}

// outer is the name of the message that a message is within; empty for none.
func (t *target) outer(m protoreflect.MessageDescriptor) string {
	if outer, is := m.Parent().(protoreflect.MessageDescriptor); is {
		return t.called[within(outer)]
	}
	return ""
}

// typeName is the preferred name of a type, if it is free.
func typeName(outer string, d protoreflect.Descriptor) string {
	name := outer + camel(string(d.Name()))
	if builtin[name] {
		return name + "Type"
	}
	return name
}

// existing is the declaration that was made of a thing; nil if there is none, or one of
// another kind.
func (t *target) existing(d protoreflect.Descriptor) syntax.Declaration {
	if t.old == nil {
		return nil
	}
	old := t.old.declared[within(d)]
	var fits bool
	switch d.(type) {
	case protoreflect.MessageDescriptor:
		s, is := old.(*syntax.Struct)
		fits = is && s.Message
	case protoreflect.OneofDescriptor:
		_, fits = old.(*syntax.Union)
	case protoreflect.EnumDescriptor:
		_, fits = old.(*syntax.Enum)
	case protoreflect.ServiceDescriptor:
		_, fits = old.(*syntax.Service)
	}
	if !fits {
		return nil
	}
	t.seen[within(d)] = true
	return old
}

// oneofs are the oneofs of a message that its author wrote.
func oneofs(m protoreflect.MessageDescriptor) (list []protoreflect.OneofDescriptor) {
	for i := range m.Oneofs().Len() {
		if od := m.Oneofs().Get(i); !od.IsSynthetic() {
			list = append(list, od)
		}
	}
	return list
}

// ref is how a declaration is named in a file, which imports it if that is needed.
func (im *importer) ref(t *target, d protoreflect.Descriptor) string {
	of := im.targets[d.ParentFile().Path()]
	name := of.called[within(d)]
	if of == t {
		return name
	}
	alias, known := t.imports[of.path]
	if !known {
		stem := snake(identifier(strings.TrimSuffix(path.Base(of.path), ".sdp")))
		if words[stem] {
			stem += "_pb"
		}
		alias = t.names.free(stem, snake(identifier(path.Base(path.Dir(of.path))))+"_"+stem)
		t.imports[of.path] = alias
		t.added = append(t.added, "import "+quote(relative(path.Dir(t.path), of.path))+" as "+alias+";\n")
	}
	return alias + "." + name
}

// words are names that would be taken for something else where a type is expected.
var words = map[string]bool{
	"bool": true, "u8": true, "u16": true, "u32": true, "u64": true, "i8": true, "i16": true, "i32": true, "i64": true, "f32": true, "f64": true,
	"str": true, "string": true, "bytes": true, "timestamp": true, "duration": true, "uuid": true, "map": true, "stream": true,
}

// relative is the path to a file from a folder.
func relative(folder, file string) string {
	from, to := strings.Split(folder, "/"), strings.Split(file, "/")
	if folder == "." {
		from = nil
	}
	for len(from) > 0 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(to, "/")
}

// fill makes the declarations of a file.
func (im *importer) fill(t *target) {
	im.extensions(t.file, t.file.Extensions())
	for _, d := range inOrder(t.file) {
		switch d := d.(type) {
		case protoreflect.MessageDescriptor:
			im.message(t, d)
		case protoreflect.EnumDescriptor:
			im.enum(t, d)
		case protoreflect.ServiceDescriptor:
			im.service(t, d)
		}
	}
	if t.old == nil {
		return
	}
	for key, d := range t.old.declared {
		h := d.DeclarationHead()
		m, _ := markOf(h.Attributes)
		if t.seen[key] {
			continue
		}
		if t.called[key] != "" {
			m = m.past() // what is called so in the .proto is of another kind now
		}
		im.gone(t, h, m, t.file, key)
	}
	slices.SortFunc(t.old.edits, func(a, b diag.Edit) int { return a.Span.Start - b.Span.Start })
}

// gone marks a thing as deprecated that the .proto no longer has. It was part of from.
func (im *importer) gone(t *target, h *syntax.Head, m mark, source protoreflect.Descriptor, subject string) {
	if m.was == "" && attributeOf(h.Attributes, "deprecated") != nil {
		return
	}
	t.old.remark(h, m, goneText)
	im.warn(codeGone, source, "%s is gone from %s: `%s` stays, deprecated", subject, t.file.Path(), h.Name.Text).
		WithHelp("take it away, and reserve its number, when no program uses it any more")
}

// inOrder are the things that a file declares, as they stand in it.
func inOrder(file protoreflect.FileDescriptor) (list []protoreflect.Descriptor) {
	for i := range file.Messages().Len() {
		list = append(list, file.Messages().Get(i))
	}
	for i := range file.Enums().Len() {
		list = append(list, file.Enums().Get(i))
	}
	for i := range file.Services().Len() {
		list = append(list, file.Services().Get(i))
	}
	slices.SortStableFunc(list, func(a, b protoreflect.Descriptor) int {
		return file.SourceLocations().ByDescriptor(a).StartLine - file.SourceLocations().ByDescriptor(b).StartLine
	})
	return list
}

// text is the .sdp.
func (t *target) text() string {
	var problems diag.List
	text := ""
	if t.old == nil {
		text = t.head() + strings.Join(t.added, "") + t.body.String()
	} else {
		text = t.merged()
	}
	tree := syntax.Parse(t.path, text, &problems)
	if problems.HasErrors() {
		panic("proto: " + t.path + " is not of the grammar: " + problems.Sorted()[0].Message)
	}
	return format.File(tree)
}

// merged is the earlier .sdp, with the additions.
func (t *target) merged() string {
	edits := t.old.edits
	if len(t.added) > 0 {
		at := 0
		if list := t.old.tree.Imports; len(list) > 0 {
			at = list[len(list)-1].Span.End
		} else if t.old.tree.Package != nil {
			at = t.old.tree.Package.Span.End
		}
		edits = append(edits, diag.Edit{Span: t.old.text.Span(at, at), Text: "\n" + strings.Join(t.added, "")})
	}
	text, err := diag.Apply(t.old.text, edits)
	if err != nil {
		panic("proto: " + t.path + ": " + err.Error())
	}
	return text + "\n" + t.body.String()
}
