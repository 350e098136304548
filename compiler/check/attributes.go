package check

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/source"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
)

// place is where an attribute can stand. Places are bits, so that a rule can
// name several.
type place uint16

const (
	onPackage place = 1 << iota
	onConst
	onAlias
	onEnum
	onMember
	onUnion
	onAlternative
	onStruct
	onMessage
	onStructField
	onMessageField
	onService
	onCall
	onOtherMethod
	onType

	onMethod = onCall | onOtherMethod
	onField  = onStructField | onMessageField
	// onNamed is everything that has a name.
	onNamed = onConst | onAlias | onEnum | onMember | onUnion | onAlternative | onStruct | onMessage |
		onField | onService | onMethod
)

// attributes are the meanings of all attributes of a place.
type attributes struct {
	bounds      bounds
	deprecated  *string
	names       map[string]string
	custom      []ir.Custom
	waivers     []ir.Waiver
	id          *syntax.Value
	since       *syntax.Value
	closed      bool
	keepUnknown bool
	idempotent  bool
}

// rule says where an attribute may stand and what its arguments mean. Its read
// function returns false if they are wrong; usage is then shown.
type rule struct {
	on     place
	where  string
	repeat bool
	usage  string
	read   func(*unit, *attributes, *syntax.Attribute, place) bool
}

var rules = map[string]rule{
	"id": {on: onStruct | onMessage | onUnion, where: "structs, messages and unions", usage: "`@id(3)`",
		read: func(_ *unit, a *attributes, attr *syntax.Attribute, _ place) bool { return oneInteger(attr, &a.id) }},
	"since": {on: onMessageField, where: "fields of messages", usage: "`@since(2)`",
		read: func(_ *unit, a *attributes, attr *syntax.Attribute, _ place) bool { return oneInteger(attr, &a.since) }},
	"len": {on: onType | onField, where: "types and fields", usage: "`@len(u8)` or `@len(u16)`", read: readLen},
	"max": {on: onType | onField, where: "types and fields", usage: "`@max(100)`", read: readMax},
	"closed": {on: onEnum | onUnion, where: "enums and unions", usage: "`@closed`",
		read: func(_ *unit, a *attributes, attr *syntax.Attribute, _ place) bool { return flag(attr, &a.closed) }},
	"keep_unknown": {on: onMessage, where: "messages", usage: "`@keep_unknown`",
		read: func(_ *unit, a *attributes, attr *syntax.Attribute, _ place) bool { return flag(attr, &a.keepUnknown) }},
	"idempotent": {on: onCall, where: "methods of kind call", usage: "`@idempotent`",
		read: func(_ *unit, a *attributes, attr *syntax.Attribute, _ place) bool { return flag(attr, &a.idempotent) }},
	"deprecated": {on: onNamed, where: "declarations, fields, members, alternatives and methods",
		usage: "`@deprecated(\"why\")`", read: readDeprecated},
	"name": {on: onNamed, where: "declarations, fields, members, alternatives and methods",
		usage: "`@name(go = \"Name\", json = \"name\")`, a string for each target", read: readName},
	"allow": {on: onNamed | onPackage, repeat: true, where: "the package, declarations, fields, members, alternatives and methods",
		usage: "`@allow(L0101, \"why\")` with a reason", read: readAllow},
}

// customRule is that of every attribute below @x.
var customRule = rule{on: onNamed | onPackage, repeat: true, where: rules["allow"].where,
	usage: "`@x.name(value, key = value)`", read: readCustom}

// attributes reads the attributes of one place.
func (u *unit) attributes(list []*syntax.Attribute, p place) attributes {
	var a attributes
	if len(list) == 0 {
		return a
	}
	first := map[string]*syntax.Attribute{}
	for _, attribute := range list {
		name := attribute.Name.String()
		r, known := rules[name]
		if strings.HasPrefix(name, "x.") {
			r, known = customRule, true
		}
		switch {
		case !known:
			u.unknownAttribute(attribute)
		case r.on&p == 0:
			u.problems.Error(codeAttributePlace, attribute.Span, "@%s does not apply here", shortPath(name)).
				WithHelp("it stands on " + r.where)
		case first[name] != nil && !r.repeat:
			u.problems.Error(codeAttributeTwice, attribute.Span, "@%s stands here twice", name).
				WithRelated(first[name].Span, "this is the first").
				WithHelp("remove one of the two")
		default:
			first[name] = attribute
			u.attributeTexts(attribute)
			if !r.read(u, &a, attribute, p) {
				u.problems.Error(codeAttributeArgs, attribute.Span, "@%s needs other arguments", shortPath(name)).
					WithHelp("write " + r.usage)
			}
		}
	}
	return a
}

// attributeTexts refuses invisible characters in the texts of an attribute, which reach comments,
// literals and messages [LANG-5.7]. Texts of @x are the data of a generator, and may have any
// characters.
func (u *unit) attributeTexts(attribute *syntax.Attribute) {
	if strings.HasPrefix(attribute.Name.String(), "x.") {
		return
	}
	for _, argument := range attribute.Args {
		text := argument.Value.Text
		if i := strings.IndexFunc(text, source.Hidden); i >= 0 {
			r, _ := utf8.DecodeRuneInString(text[i:])
			u.problems.Error(codeAttributeText, argument.Value.Span, "this text has the character %s, which shows nothing", source.Visible(string(r))).
				WithHelp("the text of an attribute is one line of visible characters")
		}
	}
}

func (u *unit) unknownAttribute(attribute *syntax.Attribute) {
	name := attribute.Name.String()
	d := u.problems.Error(codeUnknownAttribute, attribute.Name.Span, "there is no attribute %s", quote("@"+name)).
		WithHelp("attributes of your own start with `@x.`")
	u.suggest(d, attribute.Name.Span, name, func() []string {
		var names []string
		for known := range rules {
			names = append(names, known)
		}
		sort.Strings(names)
		return names
	})
}

// meta is the common part of a declaration or member: its package, documentation and attributes.
func (u *unit) meta(head *syntax.Head, a attributes) ir.Meta {
	return ir.Meta{
		Package:    u.pkg,
		Doc:        docOf(head.Docs),
		Deprecated: a.deprecated,
		Names:      a.names,
		Custom:     a.custom,
		Waivers:    a.waivers,
		Span:       head.Name.Span,
		Full:       head.Span,
	}
}

// only returns the one argument without a name, nil if there are others.
func only(attr *syntax.Attribute) *syntax.Value {
	if len(attr.Args) != 1 || attr.Args[0].Name != nil {
		return nil
	}
	return attr.Args[0].Value
}

func flag(attr *syntax.Attribute, target *bool) bool {
	*target = true
	return len(attr.Args) == 0
}

func oneInteger(attr *syntax.Attribute, target **syntax.Value) bool {
	v := only(attr)
	if v == nil || v.Kind != syntax.IntegerValue {
		return false
	}
	*target = v
	return true
}

func readLen(_ *unit, a *attributes, attr *syntax.Attribute, _ place) bool {
	v := only(attr)
	if v == nil || v.Kind != syntax.PathValue {
		return false
	}
	width := map[string]int{"u8": 1, "u16": 2}[v.Path.String()]
	if width == 0 {
		return false
	}
	a.bounds.lenAttribute, a.bounds.lenBytes = attr, width
	return true
}

func readMax(u *unit, a *attributes, attr *syntax.Attribute, _ place) bool {
	v := only(attr)
	if v == nil || v.Kind != syntax.IntegerValue && v.Kind != syntax.PathValue {
		return false
	}
	n, ok := u.integer(v, "the bound of @max")
	if !ok {
		return true
	}
	if n.negative {
		return false
	}
	a.bounds.maxAttribute, a.bounds.max = attr, n.magnitude
	return true
}

func readDeprecated(_ *unit, a *attributes, attr *syntax.Attribute, _ place) bool {
	v := only(attr)
	if v == nil || v.Kind != syntax.StringValue {
		return false
	}
	a.deprecated = &v.Text
	return true
}

// readAllow reads a lint's code, as a name or a string, and the reason.
func readAllow(_ *unit, a *attributes, attr *syntax.Attribute, _ place) bool {
	if len(attr.Args) != 2 || attr.Args[0].Name != nil || attr.Args[1].Name != nil {
		return false
	}
	code, reason := attr.Args[0].Value, attr.Args[1].Value
	w := ir.Waiver{Code: code.Text, Reason: reason.Text, Span: attr.Span}
	if code.Kind == syntax.PathValue {
		w.Code = code.Path.String()
	}
	if !isCode(w.Code) || reason.Kind != syntax.StringValue || strings.TrimSpace(w.Reason) == "" {
		return false
	}
	a.waivers = append(a.waivers, w)
	return true
}

// isCode tells whether a text has the shape of a code: L0101.
func isCode(s string) bool {
	return len(s) == 5 && 'A' <= s[0] && s[0] <= 'Z' && strings.Trim(s[1:], "0123456789") == ""
}

func readCustom(u *unit, a *attributes, attr *syntax.Attribute, _ place) bool {
	custom := ir.Custom{Name: attr.Name.String(), Span: attr.Span}
	for _, argument := range attr.Args {
		arg := ir.Arg{Value: u.carried(argument.Value)}
		if argument.Name != nil {
			arg.Name = argument.Name.Text
		}
		custom.Args = append(custom.Args, arg)
	}
	a.custom = append(a.custom, custom)
	return true
}
