package compat

import (
	"embed"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/source"
)

//go:embed codes/*.md
var codeFiles embed.FS

// Codes explains every code that this package reports.
var Codes = diag.NewTable(codeFiles)

// The codes: of packages and types, fields, enum members, alternatives,
// constants, services.
const (
	codePackageRenamed diag.Code = "B0101"

	codeTypeAdded       diag.Code = "B0201"
	codeTypeRemoved     diag.Code = "B0202"
	codeTypeRenamed     diag.Code = "B0203"
	codeTypeKind        diag.Code = "B0204"
	codeTypeID          diag.Code = "B0205"
	codeClosed          diag.Code = "B0206"
	codeKeepUnknown     diag.Code = "B0207"
	codeDeprecated      diag.Code = "B0208"
	codeTargetName      diag.Code = "B0209"
	codeReservedGivenUp diag.Code = "B0210"
	codeTargetType      diag.Code = "B0211"

	codeFieldAdded   diag.Code = "B0301"
	codeFieldRemoved diag.Code = "B0302"
	codeFieldRenamed diag.Code = "B0303"
	codeFieldOrder   diag.Code = "B0304"
	codeFieldType    diag.Code = "B0305"
	codeFieldSegment diag.Code = "B0306"
	codeFieldDefault diag.Code = "B0307"

	codeMemberAdded    diag.Code = "B0401"
	codeMemberRemoved  diag.Code = "B0402"
	codeMemberRenamed  diag.Code = "B0403"
	codeMemberNumber   diag.Code = "B0404"
	codeEnumBase       diag.Code = "B0405"
	codeCaseAdded      diag.Code = "B0501"
	codeCaseRemoved    diag.Code = "B0502"
	codeCaseRenamed    diag.Code = "B0503"
	codeCaseTag        diag.Code = "B0504"
	codeCasePayload    diag.Code = "B0505"
	codeConstAdded     diag.Code = "B0601"
	codeConstRemoved   diag.Code = "B0602"
	codeConstChanged   diag.Code = "B0603"
	codeAliasAdded     diag.Code = "B0604"
	codeAliasRemoved   diag.Code = "B0605"
	codeAliasChanged   diag.Code = "B0606"
	codeServiceAdded   diag.Code = "B0701"
	codeServiceRemoved diag.Code = "B0702"
	codeMethodAdded    diag.Code = "B0703"
	codeMethodRemoved  diag.Code = "B0704"
	codeMethodRenamed  diag.Code = "B0705"
	codeMethodNumber   diag.Code = "B0706"
	codeMethodChanged  diag.Code = "B0707"
	codeIdempotent     diag.Code = "B0708"
	codeServiceRenamed diag.Code = "B0709"
)

// Verdict says whether something still works, and what to know about it.
type Verdict struct {
	OK bool
	// Note is a few words, often empty: what a missing field is read as, or why
	// it breaks.
	Note string
}

// Change is one difference between two schemas.
type Change struct {
	Code diag.Code
	// Subject is what changed, with its type: "Plugin.vendor".
	Subject string
	// The rest of the sentence that the subject begins, which says how it changed:
	// "removed from a struct".
	What string
	// Old and New are the places in the two versions; the zero span where there
	// is none.
	Old, New source.Span

	OldReaders Verdict // old readers of new bytes
	NewReaders Verdict // new readers of old bytes
	// SourceBreaks are the languages in which a program that was written for the
	// old generated code may no longer compile with the new.
	SourceBreaks []string
	JSON         Verdict // both directions
	// Help says what to add to the schema; often empty.
	Help string
}

// Place is the place of the change in the new version, or in the old one for a removal.
func (c *Change) Place() source.Span {
	if c.New.IsZero() {
		return c.Old
	}
	return c.New
}

// Report is what two schemas differ in, package by package.
type Report struct {
	Changes []*Change
	// Columns are the counted columns.
	Columns Columns
	// Languages are the languages whose programs were asked about.
	Languages []Language
}

// Breaks tells whether the change breaks anything that counts.
func (r *Report) Breaks(c *Change) bool { return len(r.Columns.counted(c)) > 0 }

// Breaking counts the changes that break something that counts.
func (r *Report) Breaking() int {
	n := 0
	for _, c := range r.Changes {
		if r.Breaks(c) {
			n++
		}
	}
	return n
}

// nowhere is the place of a thing in a version without it.
var nowhere source.Span

var fine = Verdict{OK: true}

func broken(note string) Verdict { return Verdict{Note: note} }

// verdict is fine, or broken with a note.
func verdict(ok bool, note string) Verdict {
	if ok {
		return fine
	}
	return broken(note)
}
