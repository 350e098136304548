// Package prose turns a page of Markdown into its sentences, and finds sentences that cost their readers too much:
// long ones, and ones in which a pronoun stands where a noun belongs. It knows nothing of a page's content.
package prose

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	// WordsMax is the length of the longest sentence.
	WordsMax = 45
	// MeanMax is the mean length of a page's sentences.
	MeanMax = 20
	// WordsPerMinute is how fast a page is read.
	WordsPerMinute = 200
)

// Page is the text of a page, without code and pictures.
type Page struct {
	Sentences []Sentence
	Words     int
}

// Sentence is a sentence, an item of a list or a cell of a table.
type Sentence struct {
	Line int
	Text string
	// Words counts the words, in which a piece of code is one.
	Words int
	// IsCell tells that the sentence is of a table, whose length counts for no mean.
	IsCell bool
}

var (
	code     = regexp.MustCompile("(`+)[^`]*`+")
	picture  = regexp.MustCompile(`!\[[^\]]*\]\([^)]*\)`)
	link     = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	clause   = regexp.MustCompile(`\[[A-Z]+-[0-9., A-Z-]+\]`)
	markup   = regexp.MustCompile(`<[^>]*>|\*\*|__|[*]`)
	item     = regexp.MustCompile(`^\s*(?:[-*+]|[0-9]+\.)\s+`)
	end      = regexp.MustCompile(`[.!?…:;]["')]*(?:\s+|$)`)
	abbrev   = regexp.MustCompile(`\b(e\.g|i\.e|vs|etc|No)\.$`)
	sentence = regexp.MustCompile(`[.!?…]`)
)

// Read takes a page apart.
func Read(text string) Page {
	var page Page
	r := reader{page: &page}
	fence := ""
	for n, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence == "" && strings.HasPrefix(trimmed, "```"):
			r.flush()
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case trimmed == "" || strings.HasPrefix(trimmed, "<"):
			r.flush()
		case strings.HasPrefix(trimmed, "#"):
			r.flush()
			r.add(n+1, strings.TrimLeft(trimmed, "# "))
			r.flush()
		case strings.HasPrefix(trimmed, "|"):
			r.flush()
			if strings.Trim(trimmed, "|-: ") == "" {
				continue
			}
			for _, cell := range strings.Split(strings.Trim(strings.ReplaceAll(code.ReplaceAllString(trimmed, "`x`"), `\|`, "/"), "|"), "|") {
				r.isCell = true
				r.add(n+1, cell)
				r.flush()
			}
		case item.MatchString(line):
			r.flush()
			r.add(n+1, item.ReplaceAllString(line, ""))
		default:
			r.add(n+1, strings.TrimLeft(trimmed, "> "))
		}
	}
	r.flush()
	return page
}

// reader collects the lines of a paragraph.
type reader struct {
	page   *Page
	lines  []string
	line   int
	isCell bool
}

func (r *reader) add(line int, text string) {
	if len(r.lines) == 0 {
		r.line = line
	}
	r.lines = append(r.lines, text)
}

// flush ends a paragraph: its sentences are the page's.
func (r *reader) flush() {
	text := Plain(strings.Join(r.lines, " "))
	isCell := r.isCell
	r.lines, r.isCell = nil, false
	for text != "" {
		at := len(text)
		for _, m := range end.FindAllStringIndex(text, -1) {
			if sentence.MatchString(text[m[0]:m[0]+1]) || strings.HasPrefix(text[m[0]:], "…") {
				if !abbrev.MatchString(text[:m[0]+1]) {
					at = m[1]
					break
				}
			}
		}
		piece := strings.TrimSpace(text[:at])
		text = strings.TrimSpace(text[at:])
		words := len(strings.Fields(strings.NewReplacer("–", " ", "—", " ").Replace(piece)))
		if words == 0 {
			continue
		}
		r.page.Words += words
		r.page.Sentences = append(r.page.Sentences, Sentence{Line: r.line, Text: piece, Words: words, IsCell: isCell})
	}
}

// Plain is a piece of Markdown without its marks: code is a word, and a link is its text.
func Plain(text string) string {
	text = code.ReplaceAllString(text, "CODE")
	text = picture.ReplaceAllString(text, "")
	text = link.ReplaceAllString(text, "$1")
	text = clause.ReplaceAllString(text, "")
	text = markup.ReplaceAllString(text, "")
	return strings.Join(strings.Fields(text), " ")
}

// Mean is how many words a sentence of running text has.
func (p Page) Mean() float64 {
	words, sentences := 0, 0
	for _, s := range p.Sentences {
		if !s.IsCell {
			words, sentences = words+s.Words, sentences+1
		}
	}
	return float64(words) / float64(max(sentences, 1))
}

// Minutes is how long a page is read.
func (p Page) Minutes() int {
	return (p.Words + WordsPerMinute - 1) / WordsPerMinute
}

// refusal is a kind of bent sentence.
type refusal struct {
	pattern *regexp.Regexp
	reason  string
	// isFair is what such a sentence may be nevertheless.
	isFair *regexp.Regexp
}

var question = regexp.MustCompile(`\?["')]*$`)

var refusals = []refusal{
	{pattern: regexp.MustCompile(`^(Who|What|Whoever|Whatever|Whose|Whom|Which|Those|That which|How long|How often) `), reason: "a sentence begins with a noun, not with a pronoun", isFair: question},
	{pattern: regexp.MustCompile(`^(Nothing|None|Nobody|Neither|Each|Both|Such|One|This|These) (of (them|which)|that|which|who) `), reason: "a sentence begins with a noun, not with a pronoun"},
	{pattern: regexp.MustCompile(`^It is (the|a|an|this|not|only) [^,;:]* (that|who|which) `), reason: "\"It is … that\" hides its subject"},
	{pattern: regexp.MustCompile(`\b(whoever|whatever|whichever|whom)\b`), reason: "a pronoun where a noun belongs"},
	{pattern: regexp.MustCompile(`\bthose (who|that|which|of|whose|in|with|behind|before|for|on)\b`), reason: "\"those\" where a noun belongs"},
	{pattern: regexp.MustCompile(`\b(the|each|every|no) ones? (that|who|which|of|before|behind|whose|with|in)\b`), reason: "\"the one\" where a noun belongs"},
	{pattern: regexp.MustCompile(`\b(of|by|for|with|from|to|than|in|and|or|but|as|all|on|says|tells|is|refuses|counts|sends|loses|gives|knows|until) (what|who) (is|was|are|were|has|have|had|comes|came|goes|follows|waits|fails|takes|they|it|he|a|the|one|nobody|somebody|others|both|does|do|asks|says|sends|listens|connects|may|can|must|needs)\b`), reason: "a clause where a noun belongs", isFair: question},
	{pattern: regexp.MustCompile(`\b(such|so) (a one|ones?)\b`), reason: "a pronoun where a noun belongs"},
	{pattern: regexp.MustCompile(`\b(shall|therein|thereof|whereof|wherein|hereby|lest|nought|hence)\b`), reason: "an old word"},
}

// Fault is a place of a page that costs its readers too much.
type Fault struct {
	Line   int
	Reason string
	Text   string
}

func (f Fault) String() string {
	return fmt.Sprintf("line %d: %s: %s", f.Line, f.Reason, f.Text)
}

// Faults are the bent and the long sentences of a page, and its mean if that is too long.
func (p Page) Faults() []Fault {
	var found []Fault
	for _, s := range p.Sentences {
		if s.Words > WordsMax {
			found = append(found, Fault{s.Line, fmt.Sprintf("%d words, more than %d", s.Words, WordsMax), s.Text})
		}
		if reason := Bent(s.Text); reason != "" {
			found = append(found, Fault{s.Line, reason, s.Text})
		}
	}
	if mean := p.Mean(); mean > MeanMax {
		found = append(found, Fault{1, fmt.Sprintf("sentences of %.1f words, more than %d", mean, MeanMax), "the whole page"})
	}
	return found
}

// Bent says why a sentence is hard to read, or nothing.
func Bent(text string) string {
	for _, r := range refusals {
		if r.pattern.MatchString(text) && (r.isFair == nil || !r.isFair.MatchString(text)) {
			return r.reason
		}
	}
	return ""
}
