package proto

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// service makes a service. Methods have no numbers in a .proto: they are given in order,
// and kept.
func (im *importer) service(t *target, s protoreflect.ServiceDescriptor) {
	old, _ := t.existing(s).(*syntax.Service)
	names, numbers := nameSet{}, map[int64]bool{}
	there := map[string]*syntax.Method{}
	if old != nil {
		for _, m := range old.Methods {
			names.add(m.Name.Text)
			numbers[integerOf(m.Number)] = true
			if is, found := markOf(m.Attributes); found && is.text != "" {
				there[is.text] = m
			}
		}
		for _, r := range old.Reserved {
			reserve(r, numbers, names)
		}
	}
	next := int64(1)
	for n := range numbers {
		next = max(next, n+1)
	}
	var b strings.Builder
	for i := range s.Methods().Len() {
		m := s.Methods().Get(i)
		now := method{m.IsStreamingClient(), m.IsStreamingServer(), im.ref(t, m.Input()), im.ref(t, m.Output())}
		if was := there[string(m.Name())]; was != nil {
			delete(there, string(m.Name()))
			if im.keptMethod(t, was, m, now) {
				continue
			}
		}
		b.WriteString(docs(m) + deprecation(m) + mark{text: string(m.Name())}.String() + " ")
		if isIdempotent(m) && now.keyword() == "call" {
			b.WriteString("@idempotent ")
		}
		b.WriteString(now.keyword() + " " + names.free(snake(string(m.Name()))) + now.String() + " = " + strconv.FormatInt(next, 10) + ";\n")
		next++
	}
	if old == nil {
		t.body.WriteString("\n" + docs(s) + deprecation(s) + mark{text: within(s)}.String() + "\nservice " + t.called[within(s)] + " {\n" + b.String() + "}\n")
		return
	}
	t.old.put(old.Body, b.String())
	im.known(t, &old.Head, s)
	for _, m := range old.Methods {
		if is, found := markOf(m.Attributes); found && there[is.text] == m {
			im.gone(t, &m.Head, is, s, string(s.FullName())+"."+is.text)
		}
	}
}

// method is the types that a method takes and gives.
type method struct {
	takesStream, givesStream bool
	takes, gives             string
}

func (m method) keyword() string {
	if m.takesStream || m.givesStream {
		return "stream"
	}
	return "call"
}

func (m method) String() string {
	flow := map[bool]string{true: "stream "}
	return "(" + flow[m.takesStream] + m.takes + ") -> " + flow[m.givesStream] + m.gives
}

// keptMethod looks whether a method that is there takes and gives the same still.
func (im *importer) keptMethod(t *target, was *syntax.Method, m protoreflect.MethodDescriptor, now method) bool {
	is, _ := markOf(was.Attributes)
	old := method{takesStream: was.RequestStream, givesStream: was.ResponseStream, takes: t.old.plain(was.Request, 0)}
	if was.Response != nil {
		old.gives = t.old.plain(was.Response, 0)
	}
	if old != now {
		im.changed(t, &was.Head, is, m, old.String(), now.String())
		return false
	}
	im.known(t, &was.Head, m)
	return true
}
