package syntax

// TypeNestingMax is how many `[]`, `[N]`, `?`, `map`, `Option` and `Box` may
// stand inside each other [LANG-3.7]. It also bounds the parser's recursion.
const TypeNestingMax = 64

// parseType reads a type expression.
func (p *parser) parseType() (*Type, bool) {
	return p.nestedType(0)
}

// nestedType reads a type expression that stands inside a number of others.
func (p *parser) nestedType(depth int) (*Type, bool) {
	t := &Type{}
	var ok bool
	if t.Attributes, ok = p.attributes(); !ok {
		return nil, false
	}
	start := p.token.start
	if p.startsConstructor() && depth == TypeNestingMax {
		p.lexer.problems.Error(CodeTypeNesting, p.span(p.token), "this type nests more than %d levels deep", TypeNestingMax).
			WithHelp("declare a struct for the inner part")
		return nil, false
	}
	switch {
	case p.is('?'):
		p.take()
		t.Kind = OptionalType
		t.Elem, ok = p.nestedType(depth + 1)
	case p.is('['):
		ok = p.sequence(t, depth)
	case p.isGeneric("Option"):
		t.Kind = OptionType
		ok = p.generic(t, depth)
	case p.isGeneric("Box"):
		t.Kind = BoxType
		ok = p.generic(t, depth)
	case p.isGeneric("map"):
		t.Kind = MapType
		ok = p.generic(t, depth)
	default:
		t.Name, ok = p.path("a type")
	}
	if !ok {
		return nil, false
	}
	t.Span = p.since(start)
	return t, true
}

// startsConstructor tells whether a type that holds other types starts here.
func (p *parser) startsConstructor() bool {
	return p.is('?') || p.is('[') || p.is(kindIdent) && p.peek.kind == '<'
}

func (p *parser) isGeneric(word string) bool {
	return p.isWord(word) && p.peek.kind == '<'
}

// sequence reads `[]T` or `[N]T`.
func (p *parser) sequence(t *Type, depth int) bool {
	p.take()
	t.Kind = ListType
	var ok bool
	if !p.is(']') {
		t.Kind = ArrayType
		if t.Length, ok = p.arrayLength(); !ok {
			return false
		}
	}
	if _, ok := p.expect(']', "the array's length"); !ok {
		return false
	}
	t.Elem, ok = p.nestedType(depth + 1)
	return ok
}

func (p *parser) arrayLength() (*Value, bool) {
	if !p.is(kindInteger) && !p.is(kindIdent) {
		p.expected("`]` or the array's length", "`[`")
		return nil, false
	}
	return p.value()
}

// generic reads `<T>` or `<K, V>` after its word.
func (p *parser) generic(t *Type, depth int) bool {
	word := p.text(p.take())
	p.take()
	var ok bool
	if t.Kind == MapType {
		if t.Key, ok = p.nestedType(depth + 1); !ok {
			return false
		}
		if _, ok := p.expect(',', "the map's key"); !ok {
			return false
		}
	}
	if t.Elem, ok = p.nestedType(depth + 1); !ok {
		return false
	}
	_, ok = p.expect('>', "the type in `"+word+"<`")
	return ok
}

// attributes reads any number of attributes.
func (p *parser) attributes() ([]*Attribute, bool) {
	var attributes []*Attribute
	for p.is('@') {
		a, ok := p.attribute()
		if !ok {
			return attributes, false
		}
		attributes = append(attributes, a)
	}
	return attributes, true
}

// attribute reads `@a.b(arguments)`.
func (p *parser) attribute() (*Attribute, bool) {
	start := p.take().start
	a := &Attribute{}
	var ok bool
	if a.Name, ok = p.path("an attribute's name after `@`"); !ok {
		return nil, false
	}
	if p.accept('(') {
		a.HasParens = true
		for !p.is(')') {
			argument, ok := p.argument()
			if !ok {
				return nil, false
			}
			a.Args = append(a.Args, argument)
			if !p.accept(',') {
				break
			}
		}
		if _, ok := p.expect(')', "the attribute's arguments"); !ok {
			return nil, false
		}
	}
	a.Span = p.since(start)
	return a, true
}

func (p *parser) argument() (Argument, bool) {
	var a Argument
	if p.is(kindIdent) && p.peek.kind == '=' {
		name, _ := p.ident("")
		p.take()
		a.Name = &name
	}
	var ok bool
	a.Value, ok = p.value()
	return a, ok
}

// value reads a literal or a name.
func (p *parser) value() (*Value, bool) {
	t := p.token
	v := &Value{Span: p.span(t)}
	switch {
	case p.is(kindInteger):
		v.Kind, v.Negative, v.Magnitude = IntegerValue, t.value.negative, t.value.magnitude
	case p.is(kindFloat):
		v.Kind, v.Float = FloatValue, t.value.float
	case p.is(kindString):
		v.Kind, v.Text = StringValue, t.value.text
	case p.isWord("true"), p.isWord("false"):
		v.Kind, v.Bool = BoolValue, p.isWord("true")
	case p.is(kindIdent) && !p.startsDeclaration():
		var ok bool
		v.Kind = PathValue
		if v.Path, ok = p.path("a value"); !ok {
			return nil, false
		}
		v.Span = v.Path.Span
		return v, true
	default:
		p.expected("a value", "")
		return nil, false
	}
	p.take()
	return v, true
}

// integer reads an integer literal.
func (p *parser) integer(subject string) (*Value, bool) {
	if !p.is(kindInteger) {
		p.expected(subject, "")
		return nil, false
	}
	return p.value()
}
