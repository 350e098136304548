package layout

import "strings"

// layout is a piece of code that knows how to break itself. It says false where
// it can't: rustfmt then leaves the statement as it is.
type layout interface {
	in(s shape) (string, bool)
}

// items are what stands between brackets, separated by commas.
type items struct {
	// before is the text in front of the bracket.
	before     string
	open, shut string
	items      []layout
	// most is how wide they may be in one line.
	most int
}

// in lays the items out: in one line, with the last one broken, or in lines of
// their own.
func (l items) in(s shape) (string, bool) {
	if len(l.items) == 0 {
		if width(lastLine(l.before))+len("()") > s.width {
			return l.before + l.open + s.newline() + l.shut, true
		}
		return l.before + l.open + l.shut, true
	}
	nested := s.deeper(indentWidth)
	nested.width = max(nested.width-len(","), 0)
	texts := make([]string, len(l.items))
	ok := true
	for i, item := range l.items[:len(l.items)-1] {
		var fits bool
		texts[i], fits = item.in(nested)
		ok = ok && fits
	}
	oneLine := max(s.width-extra(l.before, s)-len("()"), 0)
	horizontal, mixed, fits := l.last(texts, nested, s, oneLine)
	if !ok || !fits {
		return "", false
	}
	if joined := strings.Join(texts, ", "); horizontal {
		if room := max(s.width-width(lastLine(l.before)), 0); width(firstLine(joined))+1 <= room {
			return l.before + l.open + joined + l.shut, true
		}
		return l.before + l.open + nested.newline() + joined + s.newline() + l.shut, true
	}
	lines := strings.Join(texts, ","+nested.newline()) + ","
	if mixed {
		lines = filled(texts, nested)
	}
	return l.before + l.open + nested.newline() + lines + s.newline() + l.shut, true
}

// last lays out the last item, and says whether all stand in one line, or fill
// lines. The last may be broken if what stands in front of its first break shares
// a line with the others.
func (l items) last(texts []string, nested, s shape, oneLine int) (horizontal, mixed, ok bool) {
	at := len(texts) - 1
	item := l.items[at]
	if overflowed, can := l.overflow(texts[:at], s); can {
		texts[at] = firstLine(overflowed)
		if l.inOneLine(texts, oneLine) {
			texts[at] = overflowed
			if at == 0 && newlines(overflowed) == 1 {
				if text, fits := item.in(nested); fits && !broken(text) {
					texts[at] = text
				}
			}
			return true, false, true
		}
	}
	texts[at], ok = item.in(nested)
	switch {
	case !ok:
		return false, false, false
	case at == 0 && oneLine > 0 && !broken(texts[0]) && width(texts[0]) <= oneLine, l.inOneLine(texts, oneLine):
		return true, false, true
	}
	return false, l.areShort(texts), true
}

// overflow lays out the last item for the line that the others are in.
func (l items) overflow(rest []string, s shape) (string, bool) {
	last := l.items[len(l.items)-1]
	combined := len(l.items) == 1 && isExpression(last) && len(l.before) < indentWidth
	if !combined && !canOverflow(last, len(l.items)) {
		return "", false
	}
	room, ok := s.behind(width(lastLine(l.before)) + 1)
	if ok {
		room, ok = room.before(1)
	}
	if !ok {
		room.width = 0
	}
	if !combined && isMethodCall(last) {
		room.straight = true
	}
	if len(l.items) > 1 || isNestedCall(last) {
		room.width = min(l.most, room.width)
		for _, other := range rest {
			if room, ok = room.behind(width(other) + len(", ")); !ok {
				return "", false
			}
		}
	}
	return last.in(room)
}

func isExpression(e layout) bool {
	switch e.(type) {
	case *typ, tupleField:
		return false
	}
	return true
}

func (l items) inOneLine(texts []string, oneLine int) bool {
	total := len(", ") * (len(texts) - 1)
	for _, text := range texts {
		if broken(text) {
			return false
		}
		total += width(text)
	}
	return total <= min(oneLine, l.most)
}

// areShort reports whether items may share lines.
func (l items) areShort(texts []string) bool {
	for i, text := range texts {
		if width(text) > shortItemMax || !isSimple(l.items[i]) {
			return false
		}
	}
	return true
}

// filled are short items, as many in a line as fit.
func filled(texts []string, s shape) string {
	var out strings.Builder
	column := 0
	for i, text := range texts {
		taken := width(text) + len(",")
		switch {
		case i == 0:
		case column+1+taken > s.width:
			out.WriteString(s.newline())
			column = 0
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(text + ",")
		column += taken
	}
	return out.String()
}
