package proto

import (
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// slot is a field of a message: one of the .proto, or one of its oneofs.
type slot struct {
	field protoreflect.FieldDescriptor
	oneof protoreflect.OneofDescriptor
	mark  mark
	kind  string // the type here
	json  string // the name in JSON, if the .proto gives one
}

func (s slot) of() protoreflect.Descriptor {
	if s.oneof != nil {
		return s.oneof
	}
	return s.field
}

// key identifies a field in a later import.
func (m mark) key() string {
	if m.oneof != "" {
		return "oneof " + m.oneof
	}
	return strconv.FormatInt(m.number, 10)
}

// slots are the fields of a message in order of declaration, without what is refused.
func (im *importer) slots(t *target, m protoreflect.MessageDescriptor) (list []slot) {
	seen := map[protoreflect.Name]bool{}
	json := map[string]bool{}
	for i := range m.Fields().Len() {
		fd := m.Fields().Get(i)
		if fd.Kind() == protoreflect.GroupKind {
			im.refuse(codeGroup, fd, "%s is a group", fd.FullName()).
				WithHelp("make it a message in a field with a number of its own, or leave it out by --leave-out")
			continue
		}
		if od := fd.ContainingOneof(); od != nil && !od.IsSynthetic() {
			if seen[od.Name()] || len(alternatives(od)) == 0 {
				continue
			}
			seen[od.Name()] = true
			list = append(list, slot{oneof: od, mark: mark{oneof: string(od.Name())}, kind: "?" + t.called[within(od)]})
			continue
		}
		made := im.typeOf(t, fd)
		s := slot{field: fd, kind: made.text, mark: mark{number: int64(fd.Number()), kind: made.kind}}
		if fd.HasDefault() {
			s.mark.initial = defaultOf(fd)
			im.warn(codeDefault, fd, "the default %s of %s is the reader's: what is absent stays absent", s.mark.initial, fd.FullName())
		}
		if name := fd.JSONName(); name != defaultJSON(string(fd.Name())) && name != "" && name[0] != '$' && !json[name] {
			s.json = name
			json[name] = true
		}
		list = append(list, s)
	}
	return list
}

// defaultOf is the default of a field as text.
func defaultOf(fd protoreflect.FieldDescriptor) string {
	if v := fd.DefaultEnumValue(); v != nil {
		return string(v.Name())
	}
	if fd.Kind() == protoreflect.BytesKind {
		return strings.Trim(strconv.QuoteToASCII(string(fd.Default().Bytes())), `"`)
	}
	return fd.Default().String()
}

// defaultJSON is the name in JSON of a field that is given none.
func defaultJSON(name string) string {
	var b strings.Builder
	up := false
	for i := range len(name) {
		c := name[i]
		if c == '_' {
			up = true
			continue
		}
		if up && 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		up = false
		b.WriteByte(c)
	}
	return b.String()
}

// message makes a message, its unions, and the types within it.
func (im *importer) message(t *target, m protoreflect.MessageDescriptor) {
	im.refusals(m)
	if m.IsMapEntry() {
		return
	}
	old, _ := t.existing(m).(*syntax.Struct)
	fields := im.fields(t, m, old)
	if old == nil {
		name := t.called[within(m)]
		t.body.WriteString("\n" + docs(m) + deprecation(m) + mark{text: within(m)}.String() + "\nmessage " + name + " {\n" + fields + "}\n")
	} else {
		t.old.put(old.Body, fields)
		im.known(t, &old.Head, m)
	}
	for _, od := range oneofs(m) {
		im.union(t, m, od)
	}
	for i := range m.Enums().Len() {
		im.enum(t, m.Enums().Get(i))
	}
	for i := range m.Messages().Len() {
		im.message(t, m.Messages().Get(i))
	}
}

// known looks whether a declaration that is there is deprecated, or is so no more.
func (im *importer) known(t *target, h *syntax.Head, d protoreflect.Descriptor) {
	if t.old.isBack(h) {
		return
	}
	if isDeprecated(d) {
		m, _ := markOf(h.Attributes)
		t.old.remark(h, m, deprecatedText)
	}
}

// fields are the fields of a message that it does not have yet, in a segment of their own if it has
// any.
func (im *importer) fields(t *target, m protoreflect.MessageDescriptor, old *syntax.Struct) string {
	names := nameSet{}
	there := map[string]*syntax.Field{}
	since := ""
	if old != nil {
		last := int64(1)
		for _, f := range old.Fields {
			names.add(f.Name.Text)
			if at := attributeOf(f.Attributes, "since"); at != nil && len(at.Args) == 1 {
				last = integerOf(at.Args[0].Value)
			}
			if is, found := markOf(f.Attributes); found && is.was == "" {
				there[is.key()] = f
			}
		}
		since = fmt.Sprintf("@since(%d) ", last+1)
	}
	var b strings.Builder
	for _, s := range im.slots(t, m) {
		if f := there[s.mark.key()]; f != nil {
			delete(there, s.mark.key())
			if im.kept(t, f, s) {
				continue
			}
		}
		d := s.of()
		name := names.free(snake(string(d.Name())))
		if name != string(d.Name()) && s.oneof == nil {
			s.mark.name = string(d.Name())
		}
		b.WriteString(docs(d))
		b.WriteString(since + deprecation(d) + s.mark.String())
		if s.json != "" {
			b.WriteString(" @name(json = " + quote(s.json) + ")")
		}
		b.WriteString(" " + name + ": " + s.kind + ",\n")
	}
	if old != nil {
		for _, f := range old.Fields {
			if is, found := markOf(f.Attributes); found && there[is.key()] == f {
				im.gone(t, &f.Head, is, m, string(m.FullName())+"."+f.Name.Text)
			}
		}
	}
	return b.String()
}

// kept looks at an existing field: whether its type is the same still, and its present name.
func (im *importer) kept(t *target, f *syntax.Field, s slot) bool {
	is, _ := markOf(f.Attributes)
	d := s.of()
	if is.kind != s.mark.kind || !t.old.same(f.Type, typeNamed(s.kind)) {
		im.changed(t, &f.Head, is, d, f.Type.Span.Text(), s.kind)
		return false
	}
	now := is
	now.initial = s.mark.initial
	im.sameName(t, &f.Head, &now, d, f.Name.Text)
	return true
}

// changed leaves a thing as it is and says that it is past: what is new is put behind it.
func (im *importer) changed(t *target, h *syntax.Head, is mark, d protoreflect.Descriptor, was, now string) {
	if was == now {
		was, now = was+" of another type", now+" of this one"
	}
	t.old.remark(h, is.past(), changedText)
	im.warn(codeChanged, d, "%s was %s and is %s: `%s` stays as it was, deprecated, and a new one is appended", d.FullName(), was, now, h.Name.Text).
		WithHelp("programs of the old schema don't see the new one, as little as programs of Protocol Buffers agree on such a field")
}

// sameName writes down what a thing is called in the .proto now. Without a name in its mark
// it was called own.
func (im *importer) sameName(t *target, h *syntax.Head, now *mark, d protoreflect.Descriptor, own string) {
	name := string(d.Name())
	known := now.name
	if known == "" {
		known = own
	}
	if now.oneof == "" && known != name {
		now.name = name
		im.warn(codeRenamed, d, "%s was called %s: `%s` stays", d.FullName(), known, h.Name.Text)
	}
	back := t.old.isBack(h)
	reason := ""
	if isDeprecated(d) && !back {
		reason = deprecatedText
	}
	t.old.remark(h, *now, reason)
}

// refusals names what of a message can't be held at all.
func (im *importer) refusals(m protoreflect.MessageDescriptor) {
	im.extensions(m.ParentFile(), m.Extensions())
	if options, is := m.Options().(*descriptorpb.MessageOptions); is && options.GetMessageSetWireFormat() {
		im.refuse(codeMessageSet, m, "%s is a message set: all that it holds are extensions", m.FullName()).
			WithHelp("make it a message with a oneof, or leave it out by --leave-out")
	} else if m.ExtensionRanges().Len() > 0 {
		im.warn(codeRanges, m, "%s may be extended, and what extends it has no place", m.FullName())
	}
}
