package proto

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// tagMax is the highest tag of a union.
const tagMax = 255

// alternatives are the fields of a oneof, but for groups.
func alternatives(od protoreflect.OneofDescriptor) (list []protoreflect.FieldDescriptor) {
	for i := range od.Fields().Len() {
		if fd := od.Fields().Get(i); fd.Kind() != protoreflect.GroupKind {
			list = append(list, fd)
		}
	}
	return list
}

// union makes the union of a oneof.
func (im *importer) union(t *target, m protoreflect.MessageDescriptor, od protoreflect.OneofDescriptor) {
	list := alternatives(od)
	if len(list) == 0 {
		return
	}
	old, _ := t.existing(od).(*syntax.Union)
	names, tags := nameSet{}, map[int64]bool{}
	there := map[int64]*syntax.Alternative{}
	if old != nil {
		for _, a := range old.Alternatives {
			names.add(a.Name.Text)
			tags[integerOf(a.Tag)] = true
			if is, found := markOf(a.Attributes); found && is.number != 0 {
				there[is.number] = a
			}
		}
		for _, r := range old.Reserved {
			reserve(r, tags, names)
		}
	}
	var b strings.Builder
	for _, fd := range list {
		made := im.element(t, fd)
		now := mark{number: int64(fd.Number()), kind: made.kind}
		if fd.HasDefault() {
			now.initial = defaultOf(fd)
			im.warn(codeDefault, fd, "the default %s of %s is the reader's: what is absent stays absent", now.initial, fd.FullName())
		}
		if a := there[now.number]; a != nil {
			delete(there, now.number)
			if im.keptAlternative(t, a, fd, now, made.text) {
				continue
			}
		}
		tag := freeTag(tags, now.number)
		if tag == 0 {
			im.refuse(codeAlternatives, fd, "%s has more alternatives than a union has tags", od.FullName()).
				WithHelp("a union has at most 255 alternatives; leave the rest out by --leave-out")
			continue
		}
		name := names.free(camel(string(fd.Name())))
		if snake(name) != string(fd.Name()) {
			now.name = string(fd.Name())
		}
		b.WriteString(docs(fd) + deprecation(fd) + now.String() + " " + name + "(" + made.text + ") = " + strconv.FormatInt(tag, 10) + ",\n")
	}
	if old == nil {
		t.body.WriteString("\n" + docs(od) + mark{text: within(od)}.String() + "\nunion " + t.called[within(od)] + " {\n" + b.String() + "}\n")
		return
	}
	t.old.put(old.Body, b.String())
	im.known(t, &old.Head, od)
	for _, a := range old.Alternatives {
		if is, found := markOf(a.Attributes); found && there[is.number] == a {
			im.gone(t, &a.Head, is, od, string(od.FullName())+"."+a.Name.Text)
		}
	}
}

// keptAlternative is what kept is for a field of a message.
func (im *importer) keptAlternative(t *target, a *syntax.Alternative, fd protoreflect.FieldDescriptor, now mark, kind string) bool {
	is, _ := markOf(a.Attributes)
	if a.Type == nil || is.kind != now.kind || !t.old.same(a.Type, typeNamed(kind)) {
		was := "without a payload"
		if a.Type != nil {
			was = a.Type.Span.Text()
		}
		im.changed(t, &a.Head, is, fd, was, kind)
		return false
	}
	now.name = is.name
	im.sameName(t, &a.Head, &now, fd, snake(a.Name.Text))
	return true
}

// freeTag is the tag for a number: the same if it can be, else the highest one that is free.
func freeTag(tags map[int64]bool, number int64) int64 {
	tag := number
	if tag > tagMax || tags[tag] {
		for tag = tagMax; tag > 0 && tags[tag]; tag-- {
		}
	}
	tags[tag] = true
	return tag
}

// reserve takes the numbers and names of a reserved statement.
func reserve(r *syntax.Reserved, numbers map[int64]bool, names nameSet) {
	for _, item := range r.Items {
		if item.First == nil {
			names.add(item.Name.Text)
			continue
		}
		last := integerOf(item.First)
		if item.Last != nil {
			last = integerOf(item.Last)
		}
		for n := integerOf(item.First); n <= last && len(numbers) < 1<<16; n++ {
			numbers[n] = true
		}
	}
}
