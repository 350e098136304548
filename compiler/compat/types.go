package compat

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// types compares two versions of a declaration [EVO-4.1].
func (c *comparer) types(before, after ir.Decl) {
	old, now := before.DeclMeta(), after.DeclMeta()
	switch {
	case c.packageOf[before.DeclPackage()] != after.DeclPackage():
		c.add(codeTypeRenamed, old.Span, now.Span, before.DeclName(), "moved to `%s`", ir.FullName(after)).source(c.everywhere(true))
	case before.DeclName() != after.DeclName():
		c.add(codeTypeRenamed, old.Span, now.Span, before.DeclName(), "renamed to `%s`", after.DeclName()).source(c.everywhere(true))
	}
	c.typeID(before, after)
	c.meta(after.DeclName(), true, old, now)
	if kindOf(before) != kindOf(after) {
		c.kind(before, after)
		return
	}
	switch before := before.(type) {
	case *ir.Enum:
		c.enums(before, after.(*ir.Enum))
	case *ir.Union:
		c.unions(before, after.(*ir.Union))
	case *ir.Struct:
		c.fields(before, after)
	case *ir.Message:
		c.keepUnknown(before, after.(*ir.Message))
		c.fields(before, after)
	}
}

// kind reports that a type became one of another kind. Between a struct and a
// message the fields still say what became of them.
func (c *comparer) kind(before, after ir.Decl) {
	change := c.add(codeTypeKind, before.DeclMeta().Span, after.DeclMeta().Span, after.DeclName(),
		"changed from %s to %s", kindOf(before), kindOf(after)).
		bytes(broken(""), broken("")).source(c.everywhere(true)).json(broken(""))
	hasFields := func(d ir.Decl) bool { return kindOf(d) == "struct" || kindOf(d) == "message" }
	if hasFields(before) && hasFields(after) {
		change.JSON = fine
		c.fields(before, after)
	}
}

func (c *comparer) keepUnknown(before, after *ir.Message) {
	switch {
	case after.KeepUnknown && !before.KeepUnknown:
		c.add(codeKeepUnknown, before.Span, after.Span, after.Name, "keeps what it does not know")
	case before.KeepUnknown && !after.KeepUnknown:
		c.add(codeKeepUnknown, before.Span, after.Span, after.Name, "no longer keeps what it does not know").source(c.everywhere(true))
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

// askReservedID asks that the type id of what is gone stays reserved.
func (c *comparer) askReservedID(change *Change, before ir.Decl) {
	id, pkg := ir.IDOf(before), c.packageOf[before.DeclPackage()]
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

func (c *comparer) typeID(before, after ir.Decl) {
	from, to := ir.IDOf(before), ir.IDOf(after)
	old, now, name := before.DeclMeta().Span, after.DeclMeta().Span, after.DeclName()
	switch {
	case from == nil && to == nil || from != nil && to != nil && from.Value == to.Value:
	case from == nil:
		c.add(codeTypeID, old, now, name, "got type id %d", to.Value).warnReused(c.reservedIDs(after), int64(to.Value))
	case to == nil:
		change := c.add(codeTypeID, old, now, name, "lost its type id %d", from.Value).
			bytes(fine, broken("nothing reads its messages")).source(c.everywhere(true))
		c.askReservedID(change, before)
	default:
		change := c.add(codeTypeID, old, now, name, "type id changed from %d to %d", from.Value, to.Value).
			bytes(broken(""), broken(""))
		c.askReservedID(change, before)
	}
}

// meta compares what any declaration or member may carry. The name in JSON of
// something renamed is part of that change.
func (c *comparer) meta(subject string, withJSON bool, before, after *ir.Meta) {
	if text := deprecation(before, after); text != "" {
		c.add(codeDeprecated, before.Span, after.Span, subject, "%s", text)
	}
	c.targetTypes(subject, before, after)
	for _, target := range append([]string{ir.JSON}, ir.TargetLanguages...) {
		from, to := before.Names[target], after.Names[target]
		if from == to || target == ir.JSON && !withJSON {
			continue
		}
		change := c.add(codeTargetName, before.Span, after.Span, subject, "named %s for %s, was %s", quoted(to), target, quoted(from))
		if target == ir.JSON {
			change.json(broken(""))
		} else {
			change.source([]string{target})
		}
	}
}

// targetTypes reports an attribute by which a language has another type for a field
// or a payload.
func (c *comparer) targetTypes(subject string, before, after *ir.Meta) {
	for _, l := range c.languages {
		for _, name := range l.Attributes {
			if before.HasCustom(name) == after.HasCustom(name) {
				continue
			}
			text := "got `@%s`, which gives it another type in %s"
			if before.HasCustom(name) {
				text = "lost `@%s`, which gave it another type in %s"
			}
			c.add(codeTargetType, before.Span, after.Span, subject, text, name, l.Name).source([]string{l.Name})
		}
	}
}

func deprecation(before, after *ir.Meta) string {
	switch {
	case before.Deprecated == nil && after.Deprecated != nil:
		return "deprecated: " + *after.Deprecated
	case before.Deprecated != nil && after.Deprecated == nil:
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
