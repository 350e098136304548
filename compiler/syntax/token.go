package syntax

// kind is the kind of a token. Punctuation is its own first byte, which keeps the lexer's table
// short; "->" and ".." have names.
type kind uint8

const (
	kindEOF kind = iota
	kindIdent
	kindInteger
	kindFloat
	kindString
	kindArrow // ->
	kindRange // ..
	// kindInvalid is text that was reported already.
	kindInvalid
)

// token is a piece of text with the facts about its surroundings that the parser asks for.
type token struct {
	kind       kind
	start, end int
	// firstOnLine is true if only white space and comments stand before it.
	firstOnLine bool
	// comments is the number of comments in the file before the token.
	comments int
	// value is set for integers, floats and strings.
	value literal
}

// literal is the value of a literal token.
type literal struct {
	negative  bool
	magnitude uint64
	float     float64
	text      string
}

// name is how a diagnostic speaks of a kind that it expected, or found at the
// end.
func (k kind) name() string {
	switch k {
	case kindEOF:
		return "the end of the file"
	case kindString:
		return "a string"
	case kindArrow:
		return "`->`"
	}
	return "`" + string(rune(k)) + "`"
}
