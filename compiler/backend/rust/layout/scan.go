package layout

import (
	"slices"
	"strings"
)

// scanner reads a line token by token. A line that it can't read is left as it is, so that errors
// need no more than a flag.
type scanner struct {
	text   string
	bodies []*body
	at     int
	failed bool
}

// body passes the body of a thing that is printed on several lines.
func (s *scanner) body() *body {
	s.expect("{\x00}")
	if s.failed || len(s.bodies) == 0 {
		s.failed = true
		return nil
	}
	next := s.bodies[0]
	s.bodies = s.bodies[1:]
	return next
}

// alone is a scanner of what another passes, which has no bodies.
func alone(text string) *scanner { return &scanner{text: text} }

func (s *scanner) rest() string { return s.text[s.at:] }

// space passes white space.
func (s *scanner) space() {
	for s.at < len(s.text) && s.text[s.at] == ' ' {
		s.at++
	}
}

// sees reports whether a text comes next.
func (s *scanner) sees(text string) bool { return strings.HasPrefix(s.rest(), text) }

// takes passes a text if it comes next.
func (s *scanner) takes(text string) bool {
	if s.sees(text) {
		s.at += len(text)
		return true
	}
	return false
}

// expect passes a text that has to come next.
func (s *scanner) expect(text string) {
	if !s.takes(text) {
		s.failed = true
	}
}

// keyword passes a word that is no part of a longer one, and the space behind it.
func (s *scanner) keyword(word string) bool {
	if s.sees(word) && !isWord(byteAt(s.text, s.at+len(word))) {
		s.at += len(word)
		s.space()
		return true
	}
	return false
}

func byteAt(text string, i int) byte {
	if i < len(text) {
		return text[i]
	}
	return 0
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// word passes an identifier or a number.
func (s *scanner) word() string {
	start := s.at
	s.takes("r#")
	for s.at < len(s.text) && isWord(s.text[s.at]) {
		s.at++
	}
	if s.at == start {
		s.failed = true
	}
	return s.text[start:s.at]
}

// quoted passes a string literal.
func (s *scanner) quoted() string {
	start := s.at
	for s.at++; s.at < len(s.text) && s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			s.at++
		}
	}
	s.at++
	if s.at > len(s.text) {
		s.failed = true
		return ""
	}
	return s.text[start:s.at]
}

// until passes what stands before a bracket is closed that was open before, or
// before one of the separators outside of all brackets.
func (s *scanner) until(separators ...string) string {
	start, depth := s.at, 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '"':
			s.quoted()
			continue
		case depth == 0 && slices.ContainsFunc(separators, s.sees):
			return s.text[start:s.at]
		case strings.IndexByte("([{<", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0 || c == '>' && s.text[s.at-1] != '-' && s.text[s.at-1] != '=':
			if depth--; depth < 0 {
				return s.text[start:s.at]
			}
		}
		s.at++
	}
	return s.text[start:]
}

// list passes items that a bracket closes.
func list[T any](s *scanner, closing string, item func() T) []T {
	var items []T
	for !s.failed {
		s.space()
		if s.takes(closing) {
			return items
		}
		items = append(items, item())
		s.space()
		if !s.sees(closing) {
			s.expect(",")
		}
	}
	return nil
}
