package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/compat/random"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

// reads is the known result of one release's reading of a type as the other wrote it.
type reads string

const (
	// yes: the report says that bytes are read. No handshake may refuse the type.
	yes reads = "yes"
	// no: the layout is not read, and a handshake must find it.
	no reads = "no"
	// open: the report is more careful than it need be.
	open reads = "open"
)

// verdict is the report's verdict on a type.
type verdict struct {
	Name     string `json:"name"`
	OldReads reads  `json:"old_reads"`
	NewReads reads  `json:"new_reads"`
}

// judge compares a type, with all that it reaches and nothing else, by the content of layout texts:
// type ids, reserved numbers, defaults, bounds and names in JSON are taken away.
func judge(before, after *random.Schema, name string) (verdict, error) {
	c, err := compared(reached(before, name), reached(after, name))
	if err != nil {
		return verdict{}, err
	}
	old := func(c *compat.Change) bool { return c.OldReaders.OK }
	now := func(c *compat.Change) bool {
		return c.NewReaders.OK || c.Code == fieldRemoved && c.NewReaders.Note != ""
	}
	return verdict{"s." + name, c.judged(old), c.judged(now)}, nil
}

func (c *comparison) judged(fine func(*compat.Change) bool) reads {
	verdict := yes
	for _, change := range c.changes {
		switch {
		case fine(change), change.Code == typeRemoved:
		case c.isAnotherType(change):
			verdict = open
		default:
			return no
		}
	}
	return verdict
}

// fieldRemoved is the code of fields that one release lacks. Where its reader has a note, a release
// after it is what misreads bytes.
const fieldRemoved = "B0302"

// typeRemoved is the code of types that one release lacks. The type that is compared does not reach
// them there.
const typeRemoved = "B0202"

// comparison is the report on two versions of a type.
type comparison struct {
	changes []*compat.Change
	names   *regexp.Regexp // of all declared types
}

func compared(before, after *random.Schema) (*comparison, error) {
	old, err := compile(before.String())
	if err != nil {
		return nil, err
	}
	now, err := compile(after.String())
	if err != nil {
		return nil, err
	}
	names := []string{"inline fields"}
	for _, d := range slices.Concat(before.Decls, after.Decls) {
		names = append(names, d.Name)
	}
	return &comparison{
		changes: compat.Compare(old, now, language.All.Compared(), compat.Bytes).Changes,
		names:   regexp.MustCompile(`\b(s\.)?(` + strings.Join(names, "|") + `)\b`),
	}, nil
}

var fromTo = regexp.MustCompile("^(?:payload )?changed from (.+) to (.+)$")

// isAnotherType says whether a change puts one declared type in another's place. The report
// takes any difference of such types to break; texts tell more.
func (c *comparison) isAnotherType(change *compat.Change) bool {
	if change.Code != "B0305" && change.Code != "B0505" {
		return false
	}
	types := fromTo.FindStringSubmatch(change.What)
	shape := func(text string) string { return c.names.ReplaceAllString(strings.Trim(text, "`"), "#") }
	return shape(types[1]) == shape(types[2])
}

// visible is a schema without what layout texts don't tell.
func visible(s *random.Schema) *random.Schema {
	s = s.Clone()
	s.Exprs(func(e *random.Expr) { e.Max = 0 })
	for _, d := range s.Decls {
		d.ID, d.Reserved = 0, nil
		for _, m := range d.Members {
			m.JSON, m.Default = "", ""
		}
	}
	return s
}

// reached is a type and all that it reaches, without what layout texts don't tell.
func reached(s *random.Schema, name string) *random.Schema {
	s = visible(s)
	known := map[string]bool{}
	for next := []string{name}; len(next) > 0; next = next[1:] {
		d := s.Find(next[0])
		if d == nil || known[d.Name] {
			continue
		}
		known[d.Name] = true
		(&random.Schema{Decls: []*random.Decl{d}}).Exprs(func(e *random.Expr) { next = append(next, e.Word) })
	}
	s.Decls = slices.DeleteFunc(s.Decls, func(d *random.Decl) bool { return !known[d.Name] })
	return s
}
