package layout

import "strings"

// item passes an item or a statement.
func (s *scanner) item(form shape) (string, bool) {
	for _, c := range []struct {
		prefix string
		lay    func(shape) (string, bool)
	}{
		{"impl", s.implementation},
		{"fn ", s.function}, {"pub fn ", s.function}, {"pub const fn ", s.function},
		{"const fn ", s.function}, {"pub async fn ", s.function},
		{"const ", s.constant}, {"pub const ", s.constant},
		{"type ", s.alias}, {"pub type ", s.alias},
		{"pub struct ", s.declaration}, {"pub enum ", s.declaration},
		{"pub trait ", s.trait},
		{"let ", s.binding},
	} {
		if s.sees(c.prefix) {
			return c.lay(form)
		}
	}
	probe := *s
	if probe.until(" => "); probe.sees(" => ") {
		return s.arm(form)
	}
	for _, operator := range []string{" = ", " += "} {
		probe := *s
		if probe.until(operator); probe.sees(operator) && !s.sees("if ") {
			return s.assignment(operator, form)
		}
	}
	value := s.expression()
	room, ok := form.before(len(s.rest()))
	if !ok || s.rest() != "" && s.rest() != ";" {
		return "", false
	}
	text, ok := value.in(room)
	return text + s.rest(), ok
}

// assigned lays out a value behind `=`, `in` or `:` and the text in front of that: on the same
// line, or on the next where that takes less.
func assigned(prefix string, value layout, s shape) (string, bool) {
	room, ok := s.behind(extra(prefix, s) + 1)
	room.width = max(room.width, 0)
	same, fits := "", false
	if ok {
		same, fits = value.in(room)
	}
	if fits && !broken(same) && width(same) <= room.width {
		return prefix + " " + same, true
	}
	nested, ok := s.deeper(indentWidth).before(room.overhead())
	var next string
	if ok {
		next, ok = value.in(nested)
	}
	switch {
	case fits && (!ok || !nested.holds(next) || !prefersNextLine(same, next)):
		return prefix + " " + same, true
	case ok:
		return prefix + nested.newline() + next, true
	}
	return "", false
}

// prefersNextLine reports whether code looks better on a line of its own.
func prefersNextLine(same, next string) bool {
	if !broken(next) || newlines(same) > newlines(next)+1 {
		return true
	}
	for _, bracket := range []string{"(", "{", "["} {
		if strings.HasSuffix(firstLine(same), bracket) && !strings.HasSuffix(firstLine(next), bracket) {
			return true
		}
	}
	return false
}

// binding lays out a let statement.
func (s *scanner) binding(form shape) (string, bool) {
	s.expect("let ")
	room, ok := form.before(len("let ;"))
	if !ok {
		return "", false
	}
	text, ok := alone(s.until(" = ", ": ")).pattern().in(room)
	if !ok {
		return "", false
	}
	text = "let " + text
	if s.takes(": ") {
		text += ": " + s.until(" = ")
	}
	s.expect(" = ")
	return s.valued(text+" =", form)
}

// assignment lays out one to a place that is there.
func (s *scanner) assignment(operator string, form shape) (string, bool) {
	place := alone(s.until(operator))
	s.expect(operator)
	text, ok := place.expression().in(form)
	if !ok || place.failed {
		return "", false
	}
	return s.valued(text+strings.TrimRight(operator, " "), form)
}

// valued passes the value of a statement and lays it out behind a text.
func (s *scanner) valued(text string, form shape) (string, bool) {
	value := s.expression()
	room, ok := form.before(len(";"))
	if !ok || s.rest() != ";" {
		return "", false
	}
	laid, ok := assigned(text, value, room)
	return laid + ";", ok
}

// arm passes an arm of a match.
func (s *scanner) arm(form shape) (string, bool) {
	room, ok := form.before(len(" => {"))
	if !ok {
		return "", false
	}
	text, ok := alone(s.until(" => ")).pattern().in(room)
	if !ok {
		return "", false
	}
	text += " => "
	s.expect(" => ")
	if s.sees("{\x00}") {
		laid, _ := s.body().in(form)
		return text + laid, true
	}
	if s.rest() == "{}" {
		return text + s.rest(), true
	}
	value := s.expression()
	if s.rest() != "," {
		return "", false
	}
	return armed(text, value, form)
}

// armed lays out the value of an arm: on the line of its pattern, or in braces.
func armed(text string, value layout, s shape) (string, bool) {
	room, fits := s.behind(extra(text, s))
	if fits {
		room, fits = room.before(len(","))
	}
	var same string
	if fits {
		same, fits = value.in(room)
	}
	if fits && !broken(same) && width(same) <= room.width {
		return text + same + ",", true
	}
	nested := s.deeper(indentWidth)
	next, ok := value.in(nested)
	block := text + "{" + nested.newline() + next + s.newline() + "}"
	switch {
	case fits && ok && prefersNextLine(same, next):
		return block, true
	case fits && staysInArm(value) && width(firstLine(same)) <= room.width:
		return text + same + ",", true
	case fits && ok && broken(same):
		return block, true
	case fits:
		return text + same + ",", true
	}
	return block, ok
}

// staysInArm reports whether an expression may be broken behind the arrow.
func staysInArm(e layout) bool {
	if i, ok := core(e).(indexed); ok {
		return staysInArm(i.of)
	}
	return isBlockLike(core(e)) || isMethodCall(e)
}
