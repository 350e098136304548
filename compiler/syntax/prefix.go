package syntax

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// Prefix is the text before the cursor, cut into what completion asks about. It needs no
// tree, since a text that is being written has none.
type Prefix struct {
	text string
	// bodies are the keywords of the declarations in whose bodies the cursor is, outermost first.
	bodies []string
	// Item are the tokens since the statement, field, member or the like began, without the
	// word that is being written.
	Item []Token
	// InString is a string that the cursor is in, with its quotation mark.
	InString string
	// InComment says that there is nothing to complete.
	InComment bool
}

// Word is a word of the item, from its end if the number is below zero; empty if there is none.
func (w *Prefix) Word(i int) string {
	if i < 0 {
		i += len(w.Item)
	}
	if i < 0 || i >= len(w.Item) {
		return ""
	}
	return w.text[w.Item[i].Start:w.Item[i].End]
}

// Body is the keyword of the declaration in whose body the offset is; empty at the top.
func (w *Prefix) Body() string {
	if len(w.bodies) == 0 {
		return ""
	}
	return w.bodies[len(w.bodies)-1]
}

// bodyWords are the keywords of declarations with a body.
var bodyWords = []string{"enum", "struct", "message", "union", "service"}

// StatementWords begin statements.
var StatementWords = append([]string{"package", "import", "const", "type", "reserved"}, bodyWords...)

// Before is the text before an offset.
func Before(file *File, offset int) *Prefix {
	w := &Prefix{text: file.Source.Text()}
	for _, c := range file.Comments {
		switch {
		case c.Span.Start >= offset:
		case c.Kind == BlockComment:
			w.InComment = w.InComment || offset < c.Span.End
		default: // its span is without the blanks at its end
			w.InComment = w.InComment || !strings.Contains(w.text[c.Span.Start:offset], "\n")
		}
	}
	open := 0
	tokens := Tokens(source.New("", w.text[:offset]))
	for i, t := range tokens {
		text := w.text[t.Start:t.End]
		isLast := i == len(tokens)-1 && t.End == offset
		if isLast && t.Kind == WordToken {
			break
		}
		if text[0] == '"' && isLast && (len(text) == 1 || t.Kind != StringToken || text[len(text)-1] != '"') {
			w.InString = text
			break
		}
		if t.Kind == WordToken && len(w.bodies) > 0 && slices.Contains(StatementWords, text) && w.beginsLine(t.Start) && i+1 < len(tokens) && tokens[i+1].Kind == WordToken {
			if text != "reserved" {
				w.bodies, w.Item, open = nil, nil, 0 // a brace is missing
			}
		}
		switch text {
		case "{":
			w.bodies = append(w.bodies, w.opened())
			w.Item, open = nil, 0
			continue
		case "}":
			w.bodies = w.bodies[:max(0, len(w.bodies)-1)]
			w.Item, open = nil, 0
			continue
		case ";":
			w.Item, open = nil, 0
			continue
		case ",":
			if open == 0 {
				w.Item = nil
				continue
			}
		case "(", "<", "[":
			open++
		case ")", ">", "]":
			open = max(0, open-1)
		}
		w.Item = append(w.Item, t)
	}
	return w
}

// beginsLine tells whether only blanks stand before an offset in its line.
func (w *Prefix) beginsLine(offset int) bool {
	before := strings.TrimRight(w.text[:offset], " \t")
	return before == "" || before[len(before)-1] == '\n' || before[len(before)-1] == '\r'
}

// opened is the kind of body that a brace behind the item opens.
func (w *Prefix) opened() string {
	if w.Body() == "union" {
		return "struct" // an inline alternative
	}
	for i := range w.Item {
		if word := w.Word(i); slices.Contains(bodyWords, word) && w.Word(i-1) != "@" {
			return word
		}
	}
	return "struct"
}

// Attribute is the attribute in whose parentheses the cursor is; empty if it is in none.
func (w *Prefix) Attribute() string {
	depth := 0
	for i := len(w.Item) - 1; i > 1; i-- {
		switch w.Word(i) {
		case ")":
			depth++
		case "(":
			if depth--; depth < 0 {
				if w.Word(i-2) == "@" {
					return w.Word(i - 1)
				}
				return ""
			}
		}
	}
	return ""
}

// Last is where a sign stands for the last time in the item, -1 if it does not.
func (w *Prefix) Last(sign string) int {
	for i := len(w.Item) - 1; i >= 0; i-- {
		if w.Word(i) == sign {
			return i
		}
	}
	return -1
}

// PathBefore are the names before a point at the end of some tokens.
func (w *Prefix) PathBefore(end int) []Ident {
	var parts []Ident
	for i := end; i > 0 && w.Word(i) == "." && w.Item[i-1].Kind == WordToken; i -= 2 {
		parts = append([]Ident{{Text: w.Word(i - 1)}}, parts...)
	}
	return parts
}

// Has tells whether the item has a word that no attribute has.
func (w *Prefix) Has(word string) bool {
	i := w.Last(word)
	return i >= 0 && w.Word(i-1) != "@"
}

// Begins tells whether nothing but attributes stands in the item.
func (w *Prefix) Begins() bool {
	at := 0
	for at < len(w.Item) && w.Word(at) == "@" {
		at += 2
		for w.Word(at) == "." {
			at += 2
		}
		if w.Word(at) == "(" {
			for at < len(w.Item) && w.Word(at) != ")" {
				at++
			}
			at++
		}
	}
	return at >= len(w.Item)
}
