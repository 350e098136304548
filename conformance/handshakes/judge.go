package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/compat"
	"github.com/serial-data-protocol/sdp/compiler/compat/random"
	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// reads is what is known of one release's reading of a type as the other wrote it.
type reads string

const (
	// yes: the report says that bytes are read. No handshake may refuse the type.
	yes reads = "yes"
	// no: the layout itself is not read, and a handshake must find it.
	no reads = "no"
	// open: what is not read lies in what fingerprints don't tell of, or the report is more
	// careful than it need be.
	open reads = "open"
)

// verdict is what the report says of a type.
type verdict struct {
	Name     string `json:"name"`
	OldReads reads  `json:"old_reads"`
	NewReads reads  `json:"new_reads"`
}

// judge compares a type, with all that it reaches and nothing else, by what can be seen in
// layout texts: type ids, what is reserved, defaults, bounds and names in JSON are taken away.
func judge(before, after *random.Schema, name string) (verdict, error) {
	whole, err := compared(reached(before, name), reached(after, name), name)
	if err != nil {
		return verdict{}, err
	}
	own, err := compared(withoutGrowing(reached(before, name), name), withoutGrowing(reached(after, name), name), name)
	if err != nil {
		return verdict{}, err
	}
	old := func(c *compat.Change) bool { return c.OldReaders.OK }
	now := func(c *compat.Change) bool { return c.NewReaders.OK }
	return verdict{"s." + name, judged(whole, own, old), judged(whole, own, now)}, nil
}

func judged(whole, own *comparison, fine func(*compat.Change) bool) reads {
	isBroken := func(c *comparison, codes []diag.Code) bool {
		return slices.ContainsFunc(c.changes, func(change *compat.Change) bool {
			return !fine(change) && slices.Contains(codes, change.Code) && !c.isAnotherType(change)
		})
	}
	switch {
	case !slices.ContainsFunc(whole.changes, func(c *compat.Change) bool { return !fine(c) }):
		return yes
	case whole.clashes && isBroken(whole, slices.Concat(layoutCodes, numberCodes, nameCodes)):
		return no
	case own.becameMessage(), own.renames:
		return open
	case isBroken(own, layoutCodes), isBroken(own, numberCodes) && !isBroken(own, nameCodes):
		return no
	}
	return open
}

// layoutCodes are those of changes that are another layout wherever they break a reader.
var layoutCodes = []diag.Code{
	"B0204", "B0206", // kind, @closed
	"B0301", "B0302", "B0305", "B0306", // fields, their types and segments
	"B0405", "B0505", // an enum's base, payloads
}

// numberCodes are those of members and alternatives that are there in one release alone. They
// are another layout, unless names and numbers were dealt out anew.
var numberCodes = []diag.Code{"B0401", "B0402", "B0501", "B0502"}

// nameCodes are those of changes that names alone may tell, which texts have and fingerprints
// have not: other places, numbers and tags.
var nameCodes = []diag.Code{"B0304", "B0404", "B0504"}

// comparison is what the report says of two versions of a type.
type comparison struct {
	changes []*compat.Change
	// clashes says whether the fingerprints of the type are incompatible [MXP-6.5].
	clashes bool
	// renames says whether the versions differ in the names of fields alone. Of two fields of one
	// type the first may have got the second's name, and the second a new one: to the report one
	// was removed and another added, and the bytes are the same.
	renames bool
	name    string         // of the type
	names   *regexp.Regexp // of all declared types
}

// becameMessage says whether the type itself changed between a struct and a message: where
// the one has the other's first segment, fingerprints don't tell them apart, for they have the
// same bytes unless something holds them [EVO-6.2].
func (c *comparison) becameMessage() bool {
	return slices.ContainsFunc(c.changes, func(change *compat.Change) bool {
		return change.Code == "B0204" && change.Subject == c.name
	})
}

func compared(before, after *random.Schema, name string) (*comparison, error) {
	old, err := compile(before.String())
	if err != nil {
		return nil, err
	}
	now, err := compile(after.String())
	if err != nil {
		return nil, err
	}
	a, b := fingerprints(old, name), fingerprints(now, name)
	n := min(len(a), len(b))
	names := []string{"inline fields"}
	for _, d := range slices.Concat(before.Decls, after.Decls) {
		names = append(names, d.Name)
	}
	return &comparison{
		changes: compat.Compare(old, now, language.All.Compared(), compat.Bytes).Changes,
		clashes: !slices.Equal(a[:n], b[:n]),
		renames: unnamed(before) == unnamed(after),
		name:    name,
		names:   regexp.MustCompile(`\b(s\.)?(` + strings.Join(names, "|") + `)\b`),
	}, nil
}

var fieldName = regexp.MustCompile(`\w+: `)

// unnamed is a schema's text without the names of fields.
func unnamed(s *random.Schema) string { return fieldName.ReplaceAllString(s.String(), "#: ") }

func fingerprints(schema *ir.Schema, name string) []uint64 {
	for _, d := range schema.Roots[0].Decls {
		if d.DeclName() == name {
			return plan.FingerprintsOf(d).Cumulative
		}
	}
	return nil
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

// reached is a type and all that it reaches, without what layout texts don't tell.
func reached(s *random.Schema, name string) *random.Schema {
	s = s.Clone()
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
	s.Exprs(func(e *random.Expr) { e.Max = 0 })
	for _, d := range s.Decls {
		d.ID, d.Reserved = 0, nil
		for _, m := range d.Members {
			m.JSON, m.Default = "", ""
		}
	}
	return s
}

// withoutGrowing takes out of a schema what messages and open unions hold, but for one: of
// that, its fingerprints tell nothing [EVO-6.4].
func withoutGrowing(s *random.Schema, name string) *random.Schema {
	for _, d := range s.Decls {
		switch {
		case d.Name == name:
		case d.Kind == "message":
			d.Members, d.Keep = []*random.Member{{Name: "inside", Type: &random.Expr{Word: "u8"}}}, false
		case d.Kind == "union" && !d.Closed:
			d.Members = []*random.Member{{Name: "Inside", Number: 250}}
		}
	}
	return reached(s, name)
}
