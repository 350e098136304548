package compat

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// types compares two versions of a declaration [EVO-4.1].
func (c *comparer) types(older, newer ir.Decl) {
	old, now := older.DeclMeta(), newer.DeclMeta()
	switch {
	case c.packageOf[older.DeclPackage()] != newer.DeclPackage():
		c.add(codeTypeRenamed, old.Span, now.Span, older.DeclName(), "moved to `%s`", ir.FullName(newer)).source(c.everywhere(true))
	case older.DeclName() != newer.DeclName():
		c.add(codeTypeRenamed, old.Span, now.Span, older.DeclName(), "renamed to `%s`", newer.DeclName()).source(c.everywhere(true))
	}
	c.typeID(older, newer)
	c.meta(newer.DeclName(), true, old, now)
	if kindOf(older) != kindOf(newer) {
		c.kind(older, newer)
		return
	}
	switch before := older.(type) {
	case *ir.Enum:
		c.enums(before, newer.(*ir.Enum))
	case *ir.Union:
		c.unions(before, newer.(*ir.Union))
	case *ir.Struct:
		c.fields(before, newer)
	case *ir.Message:
		c.keepUnknown(before, newer.(*ir.Message))
		c.fields(before, newer)
	}
}

// kind reports that a type became one of another kind. Between a struct and a
// message the fields still say what became of them.
func (c *comparer) kind(older, newer ir.Decl) {
	change := c.add(codeTypeKind, older.DeclMeta().Span, newer.DeclMeta().Span, newer.DeclName(),
		"changed from %s to %s", kindOf(older), kindOf(newer)).
		bytes(broken(""), broken("")).source(c.everywhere(true)).json(broken(""))
	hasFields := func(d ir.Decl) bool { return kindOf(d) == "struct" || kindOf(d) == "message" }
	if hasFields(older) && hasFields(newer) {
		change.JSON = fine
		c.fields(older, newer)
	}
}

func (c *comparer) keepUnknown(older, newer *ir.Message) {
	switch {
	case newer.KeepUnknown && !older.KeepUnknown:
		c.add(codeKeepUnknown, older.Span, newer.Span, newer.Name, "keeps what it does not know")
	case older.KeepUnknown && !newer.KeepUnknown:
		c.add(codeKeepUnknown, older.Span, newer.Span, newer.Name, "no longer keeps what it does not know").source(c.everywhere(true))
	}
}

func (c *comparer) typeAdded(d ir.Decl) {
	change := c.add(codeTypeAdded, nowhere, d.DeclMeta().Span, d.DeclName(), "added, %s", withArticle(kindOf(d)))
	if id := ir.IDOf(d); id != nil {
		change.warnReused(c.reservedIDs(d), int64(id.Value))
	}
}

// reservedIDs are the type ids that the old version of a type's package had
// reserved.
func (c *comparer) reservedIDs(d ir.Decl) ir.Reserved {
	if before := c.packageOf[d.DeclPackage()]; before != nil {
		return ir.Reserved{Numbers: before.ReservedIDs}
	}
	return ir.Reserved{}
}

func (c *comparer) typeRemoved(d ir.Decl) {
	change := c.add(codeTypeRemoved, d.DeclMeta().Span, nowhere, d.DeclName(), "removed, %s", withArticle(kindOf(d))).
		source(c.everywhere(true))
	if _, isEnum := d.(*ir.Enum); isEnum {
		return
	}
	change.bytes(fine, broken("nothing reads them")).json(broken(""))
	c.askReservedID(change, d)
}

// askReservedID asks that the type id of a removed type stays reserved.
func (c *comparer) askReservedID(change *Change, older ir.Decl) {
	id, pkg := ir.IDOf(older), c.packageOf[older.DeclPackage()]
	if id == nil || pkg == nil || isReserved(ir.Reserved{Numbers: pkg.ReservedIDs}, int64(id.Value)) {
		return
	}
	for _, d := range pkg.Decls {
		if other := ir.IDOf(d); other != nil && other.Value == id.Value {
			return
		}
	}
	change.Help = fmt.Sprintf("add `reserved %d;` to the file, so that the type id does not come back with another meaning", id.Value)
}

func (c *comparer) typeID(older, newer ir.Decl) {
	from, to := ir.IDOf(older), ir.IDOf(newer)
	old, now, name := older.DeclMeta().Span, newer.DeclMeta().Span, newer.DeclName()
	switch {
	case from == nil && to == nil || from != nil && to != nil && from.Value == to.Value:
	case from == nil:
		c.add(codeTypeID, old, now, name, "got type id %d", to.Value).warnReused(c.reservedIDs(newer), int64(to.Value))
	case to == nil:
		change := c.add(codeTypeID, old, now, name, "lost its type id %d", from.Value).
			bytes(fine, broken("nothing reads its messages")).source(c.everywhere(true))
		c.askReservedID(change, older)
	default:
		change := c.add(codeTypeID, old, now, name, "type id changed from %d to %d", from.Value, to.Value).
			bytes(broken(""), broken(""))
		c.askReservedID(change, older)
	}
}

// meta compares what any declaration or member may carry. The name in JSON of
// something renamed is part of that change.
func (c *comparer) meta(subject string, withJSON bool, older, newer *ir.Meta) {
	if text := deprecation(older, newer); text != "" {
		c.add(codeDeprecated, older.Span, newer.Span, subject, "%s", text)
	}
	c.targetTypes(subject, older, newer)
	for _, target := range append([]string{ir.JSON}, ir.TargetLanguages...) {
		from, to := older.Names[target], newer.Names[target]
		if from == to || target == ir.JSON && !withJSON {
			continue
		}
		change := c.add(codeTargetName, older.Span, newer.Span, subject, "named %s for %s, was %s", quoted(to), target, quoted(from))
		if target == ir.JSON {
			change.json(broken(""))
		} else {
			change.source([]string{target})
		}
	}
}

// targetTypes reports an attribute by which a language has another type for a field
// or a payload.
func (c *comparer) targetTypes(subject string, older, newer *ir.Meta) {
	for _, l := range c.languages {
		for _, name := range l.Attributes {
			if older.HasCustom(name) == newer.HasCustom(name) {
				continue
			}
			text := "got `@%s`, which gives it another type in %s"
			if older.HasCustom(name) {
				text = "lost `@%s`, which gave it another type in %s"
			}
			c.add(codeTargetType, older.Span, newer.Span, subject, text, name, l.Name).source([]string{l.Name})
		}
	}
}

func deprecation(older, newer *ir.Meta) string {
	switch {
	case older.Deprecated == nil && newer.Deprecated != nil:
		return "deprecated: " + *newer.Deprecated
	case older.Deprecated != nil && newer.Deprecated == nil:
		return "no longer deprecated"
	}
	return ""
}

func quoted(name string) string {
	if name == "" {
		return "as in the schema"
	}
	return "`" + name + "`"
}

func withArticle(kind string) string {
	if kind == "enum" {
		return "an " + kind
	}
	return "a " + kind
}
