package layout

import "strings"

// item passes an item or a statement.
func (s *scanner) item(at shape) (string, bool) {
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
			return c.lay(at)
		}
	}
	probe := *s
	if probe.until(" => "); probe.sees(" => ") {
		return s.arm(at)
	}
	for _, operator := range []string{" = ", " += "} {
		probe := *s
		if probe.until(operator); probe.sees(operator) && !s.sees("if ") {
			return s.assignment(operator, at)
		}
	}
	value := s.expression()
	room, ok := at.before(len(s.rest()))
	if !ok || s.rest() != "" && s.rest() != ";" {
		return "", false
	}
	text, ok := value.in(room)
	return text + s.rest(), ok
}

// assigned lays out what stands behind `=`, `in` or `:` and what is in front of that:
// on the same line, or on the next where that takes less.
func assigned(before string, value layout, s shape) (string, bool) {
	room, ok := s.behind(extra(before, s) + 1)
	room.width = max(room.width, 0)
	same, fits := "", false
	if ok {
		same, fits = value.in(room)
	}
	if fits && !broken(same) && width(same) <= room.width {
		return before + " " + same, true
	}
	nested, ok := s.deeper(indentWidth).before(room.overhead())
	var next string
	if ok {
		next, ok = value.in(nested)
	}
	switch {
	case fits && (!ok || !nested.holds(next) || !prefersNextLine(same, next)):
		return before + " " + same, true
	case ok:
		return before + nested.newline() + next, true
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
func (s *scanner) binding(at shape) (string, bool) {
	s.expect("let ")
	room, ok := at.before(len("let ;"))
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
	return s.valued(text+" =", at)
}

// assignment lays out one to a place that is there.
func (s *scanner) assignment(operator string, at shape) (string, bool) {
	place := alone(s.until(operator))
	s.expect(operator)
	text, ok := place.expression().in(at)
	if !ok || place.failed {
		return "", false
	}
	return s.valued(text+strings.TrimRight(operator, " "), at)
}

// valued passes the value of a statement and lays it out behind a text.
func (s *scanner) valued(text string, at shape) (string, bool) {
	value := s.expression()
	room, ok := at.before(len(";"))
	if !ok || s.rest() != ";" {
		return "", false
	}
	laid, ok := assigned(text, value, room)
	return laid + ";", ok
}

// arm passes an arm of a match.
func (s *scanner) arm(at shape) (string, bool) {
	room, ok := at.before(len(" => {"))
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
		laid, _ := s.body().in(at)
		return text + laid, true
	}
	if s.rest() == "{}" {
		return text + s.rest(), true
	}
	value := s.expression()
	if s.rest() != "," {
		return "", false
	}
	return armed(text, value, at)
}

// armed lays out the value of an arm: on the line of its pattern, or in braces.
func armed(text string, value layout, at shape) (string, bool) {
	room, fits := at.behind(extra(text, at))
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
	nested := at.deeper(indentWidth)
	next, ok := value.in(nested)
	block := text + "{" + nested.newline() + next + at.newline() + "}"
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
