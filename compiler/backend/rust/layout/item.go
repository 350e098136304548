package layout

import "strings"

// member lays out a field of a struct or an alternative of an enum.
func (s *scanner) member(form shape) (string, bool) {
	room, ok := form.before(len(","))
	if !ok {
		return "", false
	}
	start := s.at
	s.takes("pub ")
	s.word()
	name := s.text[start:s.at]
	switch {
	case s.takes(": "):
		t := s.typ()
		if s.rest() != "," {
			return "", false
		}
		laid, fits := assigned(name+":", t, room)
		return laid + ",", fits
	case s.takes("("):
		types := list(s, ")", s.typ)
		var held []layout
		for _, t := range types {
			held = append(held, tupleField{t})
		}
		laid, fits := items{name, "(", ")", held, callWidthMax}.in(room)
		return laid + ",", fits
	}
	return "", false
}

// tupleField is a field without a name. rustfmt lays out what needs more than a line as if
// a name stood in front of it.
type tupleField struct{ *typ }

func (u tupleField) in(s shape) (string, bool) {
	text, ok := u.typ.in(s)
	if ok && broken(text) {
		text, ok = assigned("", u.typ, s)
	}
	return strings.TrimLeft(text, " \n"), ok
}

// constant lays out a constant.
func (s *scanner) constant(form shape) (string, bool) {
	name := s.until(": ")
	s.expect(": ")
	t := s.typ()
	head := s.text[:s.at]
	s.expect(" = ")
	value := s.expression()
	if room, ok := form.before(len(" =")); ok && !s.failed {
		if room, ok = room.behind(width(name + ": ")); ok {
			if laid, ok := t.in(room); ok {
				head = name + ": " + laid
			}
		}
	}
	return s.named(head, value, form)
}

// alias lays out the name of a type.
func (s *scanner) alias(form shape) (string, bool) {
	head := s.until(" = ")
	s.expect(" = ")
	return s.named(head, s.typ(), form)
}

func (s *scanner) named(head string, value layout, form shape) (string, bool) {
	room, ok := form.before(len(";"))
	if !ok || s.rest() != ";" {
		return "", false
	}
	laid, ok := assigned(head+" =", value, room)
	return laid + ";", ok
}

// implementation lays out the head of an impl.
func (s *scanner) implementation(form shape) (string, bool) {
	s.expect("impl")
	if s.takes("<") {
		s.until()
		s.expect(">")
	}
	text := s.text[:s.at]
	s.expect(" ")
	name := s.typ()
	of := " "
	if s.takes(" for ") {
		of = " for "
		trait, ok := onLine(name, text+" ", form)
		if !ok {
			return "", false
		}
		text = trait
		name = s.typ()
	}
	empty := s.takes(" {}")
	var inner *body
	if !empty {
		s.expect(" ")
		inner = s.body()
	}
	if s.failed {
		return "", false
	}
	// Of the first line its indentation is not counted.
	if whole := text + of + name.String() + " {"; width(lastLine(whole)) <= lineWidthMax {
		text += of + name.String()
	} else {
		nested := form.deeper(indentWidth)
		text += nested.newline() + of[1:]
		nested.width -= len(of) - 1
		laid, ok := name.in(nested)
		if !ok {
			return "", false
		}
		text += laid
	}
	gap := " "
	if broken(text) {
		gap = form.newline()
	}
	switch {
	case !empty:
		laid, _ := inner.in(form)
		return text + gap + laid, true
	case broken(text):
		return text + gap + "{" + form.newline() + "}", true
	}
	return text + " {}", true
}

// onLine lays out a trait behind a text, or on the next line.
func onLine(name *typ, text string, s shape) (string, bool) {
	if room, ok := s.behind(width(text)); ok {
		if laid, ok := name.in(room); ok && !broken(laid) {
			return text + laid, true
		}
	}
	nested := s.deeper(indentWidth)
	laid, ok := name.in(nested)
	return strings.TrimRight(text, " ") + nested.newline() + laid, ok
}

// resultWidthMax is how far a function's head may reach behind its parameters for the
// brace to stand behind it, found by trying.
const resultWidthMax = 94

// function lays out a function: its head in one line, or with one for each parameter.
func (s *scanner) function(form shape) (string, bool) {
	name := s.until("(")
	s.expect("(")
	params := list(s, ")", func() string { return s.until(",") })
	var result *typ
	if s.takes(" -> ") {
		result = s.typ()
	}
	head := s.text[:s.at]
	if s.rest() == ";" {
		return declared(head, name, params, result, form)
	}
	s.expect(" ")
	inner := "{}"
	if !s.takes("{}") {
		b := s.body()
		if s.failed {
			return "", false
		}
		inner, _ = b.in(form)
	}
	if width(head)+len(" {") <= form.width && !strings.HasSuffix(inner, "{}") || width(head)+len(" {}") <= form.width {
		return head + " " + inner, true
	}
	text := parameters(name, params, form)
	if result == nil {
		return text + " " + inner, true
	}
	laid, ok := result.behindParams(form)
	if !ok {
		return head + inner, true // so it does, without a space
	}
	return text + laid + inner, true
}

// declared lays out a function of a trait, which has no body.
func declared(head, name string, params []string, result *typ, s shape) (string, bool) {
	if width(head)+len(";") <= s.width {
		return head + ";", true
	}
	text := parameters(name, params, s)
	if result != nil {
		laid, ok := result.behindParams(s)
		if !ok {
			return "", false
		}
		text += strings.TrimRight(laid, " \n")
	}
	return text + ";", true
}

// genericsWidthMax is how wide a function's head may be up to its parameters, and
// boundsWidthMax that of a trait, both found by trying.
const (
	genericsWidthMax = 96
	boundsWidthMax   = 90
)

// parameters lays out the parameters of a function, each on a line of its own.
func parameters(name string, params []string, s shape) string {
	nested := s.deeper(indentWidth)
	if before, generic, ok := strings.Cut(name, "<"); ok && s.indent+width(name) > genericsWidthMax {
		name = before + "<" + nested.newline() + strings.TrimSuffix(generic, ">") + "," + s.newline() + ">"
	}
	text := name + "("
	for _, p := range params {
		text += nested.newline() + laidParam(p, nested) + ","
	}
	return text + s.newline() + ")"
}

// behindParams lays out what a function returns, behind its parameters.
func (t *typ) behindParams(s shape) (string, bool) {
	room, ok := s.behind(len("-> "))
	if !ok {
		return "", false
	}
	room.align = len("-> ")
	laid, ok := t.in(room)
	switch {
	case !ok:
		return "", false
	case broken(laid):
		if room, ok = room.before(s.indent + 2); !ok { // indented twice, as rustfmt counts it
			return "", false
		}
		laid, ok = t.in(room)
	case s.indent+width(") -> "+laid) > resultWidthMax:
		return " -> " + laid + s.newline(), true
	}
	return " -> " + laid + " ", ok
}

// laidParam lays out a parameter. A parameter without a layout stays as it is.
func laidParam(param string, s shape) string {
	scan := alone(param)
	name := scan.until(": ")
	room, ok := s, scan.takes(": ")
	if ok && !strings.HasPrefix(scan.rest(), "impl ") { // before whose comma rustfmt leaves no room
		room, ok = room.before(len(","))
	}
	if ok {
		room, ok = room.behind(width(name + ": "))
	}
	if !ok {
		return param
	}
	room.offset = 0 // as rustfmt has it, which matters to arrays
	laid, ok := scan.typ().in(room)
	if !ok || scan.failed || scan.rest() != "" {
		return param
	}
	return name + ": " + laid
}

// trait lays out a trait: its bounds on a line of their own if the head is long.
func (s *scanner) trait(form shape) (string, bool) {
	head := s.until(" {")
	s.expect(" ")
	inner := "{}"
	empty := s.takes("{}")
	if !empty {
		b := s.body()
		if s.failed {
			return "", false
		}
		inner, _ = b.in(form)
	}
	if width(head) <= boundsWidthMax {
		return head + " " + inner, true
	}
	name, bounds, _ := strings.Cut(head, ": ")
	if empty {
		inner = "{" + form.newline() + "}"
	}
	return name + ":" + form.deeper(indentWidth).newline() + bounds + form.newline() + inner, true
}

// declaration lays out a struct or enum.
func (s *scanner) declaration(form shape) (string, bool) {
	head := s.until(" {")
	room := form.width - len(" {")
	s.expect(" ")
	if s.rest() == "{}" {
		switch {
		case width(head) > room-1:
			return head + form.newline() + "{}", true
		case width(head) > room-len("}")-2:
			return head + " {" + form.newline() + "}", true
		}
		return head + " {}", true
	}
	b := s.body()
	if s.failed {
		return "", false
	}
	inner, _ := b.in(form)
	name, params, generic := strings.Cut(head, "<")
	switch {
	case width(head) <= room:
		return head + " " + inner, true
	case !generic || width(head) <= form.width:
		return head + form.newline() + inner, true
	}
	params = strings.TrimSuffix(params, ">")
	return name + "<" + form.deeper(indentWidth).newline() + params + "," + form.newline() + "> " + inner, true
}
