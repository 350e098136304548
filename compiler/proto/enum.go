package proto

import (
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// enum makes an enum. It is open for any .proto: an unknown number is kept.
func (im *importer) enum(t *target, e protoreflect.EnumDescriptor) {
	old, _ := t.existing(e).(*syntax.Enum)
	names, numbers := nameSet{}, map[int64]bool{}
	there := map[int64]*syntax.Member{}
	if old != nil {
		for _, m := range old.Members {
			names.add(m.Name.Text)
			there[integerOf(m.Value)] = m
			numbers[integerOf(m.Value)] = true
		}
	}
	aliases := map[int64][]string{}
	values := e.Values()
	for i := range values.Len() {
		v := values.Get(i)
		aliases[int64(v.Number())] = append(aliases[int64(v.Number())], string(v.Name()))
	}
	var b strings.Builder
	done := map[int64]bool{}
	for i := range values.Len() {
		v := values.Get(i)
		number := int64(v.Number())
		if done[number] {
			im.warn(codeAlias, v, "%s is another name of %s: one number has one name", v.Name(), aliases[number][0])
			continue
		}
		done[number] = true
		now := mark{text: string(v.Name()), alias: strings.Join(aliases[number][1:], " ")}
		if m := there[number]; m != nil {
			im.keptMember(t, m, v, now)
			continue
		}
		numbers[number] = true
		name := names.free(member(string(e.Name()), string(v.Name())), camel(string(v.Name())))
		b.WriteString(docs(v) + deprecation(v) + now.String() + " " + name + " = " + strconv.FormatInt(number, 10) + ",\n")
	}
	if old == nil {
		text := reserved(e, numbers, names, nil)
		t.body.WriteString("\n" + docs(e) + deprecation(e) + mark{text: within(e)}.String() + "\nenum " + t.called[within(e)] + ": i32 {\n" + text + b.String() + "}\n")
		return
	}
	t.old.put(old.Body, b.String()+reserved(e, numbers, names, old.Reserved))
	im.known(t, &old.Head, e)
	for _, m := range old.Members {
		if is, found := markOf(m.Attributes); found && is.was == "" && !done[integerOf(m.Value)] {
			im.gone(t, &m.Head, is, e, string(e.FullName())+"."+m.Name.Text)
		}
	}
}

// keptMember writes down what a member that is there is called in the .proto now.
func (im *importer) keptMember(t *target, m *syntax.Member, v protoreflect.EnumValueDescriptor, now mark) {
	is, found := markOf(m.Attributes)
	if !found {
		return
	}
	if is.text != now.text {
		im.warn(codeRenamed, v, "%s was called %s: `%s` stays", v.FullName(), is.text, m.Name.Text)
	}
	back := t.old.isBack(&m.Head)
	reason := ""
	if isDeprecated(v) && !back {
		reason = deprecatedText
	}
	t.old.remark(&m.Head, now, reason)
}

// reserved is the statement of the reserved numbers and names of an enum of a .proto, without
// entries that are still used, or reserved already.
func reserved(e protoreflect.EnumDescriptor, numbers map[int64]bool, names nameSet, old []*syntax.Reserved) string {
	known := map[string]bool{}
	for _, statement := range old {
		for _, item := range statement.Items {
			known[item.Span.Text()] = true
		}
	}
	var items []string
	add := func(text string) {
		if !known[text] {
			known[text] = true
			items = append(items, text)
		}
	}
	for i := range e.ReservedRanges().Len() {
		r := e.ReservedRanges().Get(i)
		for _, free := range gaps(int64(r[0]), int64(r[1]), numbers) {
			text := strconv.FormatInt(free[0], 10)
			if free[1] != free[0] {
				text += ".." + strconv.FormatInt(free[1], 10)
			}
			add(text)
		}
	}
	for i := range e.ReservedNames().Len() {
		if name := member(string(e.Name()), string(e.ReservedNames().Get(i))); !names[nameKey(name)] {
			add(name)
		}
	}
	if len(items) == 0 {
		return ""
	}
	return "reserved " + strings.Join(items, ", ") + ";\n"
}

// gaps are the ranges of numbers between the used numbers.
func gaps(first, last int64, numbers map[int64]bool) (free [][2]int64) {
	var within []int64
	for n := range numbers {
		if first <= n && n <= last {
			within = append(within, n)
		}
	}
	slices.Sort(within)
	for _, n := range within {
		if first < n {
			free = append(free, [2]int64{first, n - 1})
		}
		first = n + 1
	}
	if first <= last {
		free = append(free, [2]int64{first, last})
	}
	return free
}
