package rust

import (
	"fmt"

	"github.com/serial-data-protocol/sdp/compiler/emit"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// jsons prints the canonical JSON of all declared types, and what serde wants. The
// runtime has that of all other types.
func (g *generator) jsons() {
	for _, d := range g.pkg.Decls {
		for _, d := range ir.WithInline(d) {
			g.json(d)
		}
	}
}

func (g *generator) json(d ir.Decl) {
	g.Line("%s", `#[cfg(feature = "serde")]`)
	g.Line("const _: () = {")
	g.In(func() {
		g.Line("use sdp::json;")
		g.Line("")
		switch d := d.(type) {
		case *ir.Enum:
			g.enumJSON(d)
		case *ir.Union:
			g.unionJSON(d)
			g.textAPI(d)
		default:
			g.recordJSON(d)
			g.textAPI(d)
		}
	})
	g.Line("};")
	g.Line("")
}

// jsonName is a name as JSON has it.
func jsonName(meta *ir.Meta, name string) string {
	if given, ok := meta.Names["json"]; ok {
		return given
	}
	return name
}

// textAPI prints the functions that users call, and what serde wants.
func (g *generator) textAPI(d ir.Decl) {
	for i, form := range g.forms(d) {
		if i > 0 {
			g.Line("")
		}
		g.Emit(emit.Vars{"type": g.anonymous(d, form), "reading": func() {
			if form == owned {
				g.fromJSON()
			}
		}, "serialize": func() { g.serde(serialize, g.anonymous(d, form), "serialize(self, serializer)") }}, `
			impl $type$ {
				/// Returns the canonical JSON.
				#[inline]
				pub fn to_json(&self) -> Result<sdp::alloc::string::String, sdp::Error> {
					json::to_string(self)
				}
				$reading$
			}
			$serialize$
		`)
	}
	g.serde(deserialize, g.types.name(d, owned), "deserialize(deserializer)")
}

// The code that serde writes a type by, and reads one by.
const (
	serialize = `

		impl sdp::serde::Serialize for $type$ {
			fn serialize<S: sdp::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
				sdp::serde::$call$
			}
		}
	`
	deserialize = `

		impl<'de> sdp::serde::Deserialize<'de> for $type$ {
			fn deserialize<D: sdp::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
				sdp::serde::$call$
			}
		}
	`
)

// serde prints one of them.
func (g *generator) serde(text, name, call string) {
	if g.Serde {
		g.Emit(emit.Vars{"type": name, "call": call}, text)
	}
}

func (g *generator) fromJSON() {
	g.Emit(nil, `

		/// Reads JSON, a string or bytes.
		#[inline]
		pub fn from_json(text: impl AsRef<[u8]>) -> Result<Self, sdp::Error> {
			json::from_text(text)
		}
	`)
}

// unknownKey is the key of what the schema doesn't know.
const unknownKey = `"$unknown"`

func (g *generator) recordJSON(d ir.Decl) {
	_, isMessage := d.(*ir.Message)
	var rows []string
	for _, f := range ir.FieldsOf(d) {
		function := "required"
		if f.Type.Kind == ir.OptionalKind || isMessage && f.Since > 1 {
			function = "optional"
		}
		rows = append(rows, fmt.Sprintf("json::Field::%s(%s, %s)", function, quote(f.JSONName()), quote(f.Name)))
	}
	if keeps(d) {
		rows = append(rows, "json::Field::tail()")
	}
	of := map[bool]string{true: "of_message", false: "of_struct"}[isMessage]
	g.table("const MEMBERS: json::Object =", "json::Object::"+of+"(", rows, ")")
	g.Line("")
	for _, form := range g.forms(d) {
		g.writeJSON(d, form, func() { g.writeRecordJSON(d, form) })
	}
	g.readJSON(d, func() { g.readRecordJSON(d) })
}

// writeJSON prints what writes a type in one form.
func (g *generator) writeJSON(d ir.Decl, form form, body func()) {
	g.Emit(emit.Vars{"type": g.anonymous(d, form), "body": body}, `
		impl json::ToJson for $type$ {
			#[inline]
			fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
				$body$
			}
		}
	`)
	g.Line("")
}

// readJSON prints what reads a type.
func (g *generator) readJSON(d ir.Decl, body func()) {
	g.Emit(emit.Vars{"type": g.types.name(d, owned), "body": body}, `
		impl json::FromJson for $type$ {
			#[inline]
			fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
				$body$
			}
		}
	`)
	g.Line("")
}

func (g *generator) writeRecordJSON(d ir.Decl, form form) {
	var values []string
	for _, f := range ir.FieldsOf(d) {
		values = append(values, "&self."+g.names.Of(f))
	}
	function, tail := "object", []string(nil)
	if keeps(d) {
		function, tail = "object_with_tail", []string{pick(form, "&self.unknown_fields", "self.unknown_fields")}
	}
	g.arguments("writer."+function, []string{"&MEMBERS"}, values, tail, "")
}

func (g *generator) readRecordJSON(d ir.Decl) {
	if len(ir.FieldsOf(d)) == 0 && !keeps(d) {
		g.Line("value.object(&MEMBERS, |_, _| Ok(()))?;")
		g.Line("Ok(Self::default())")
		return
	}
	g.Line("let mut v = Self::default();")
	g.Line("value.object(&MEMBERS, |key, value| match key {")
	g.In(func() {
		for _, f := range ir.FieldsOf(d) {
			g.arm(quote(f.JSONName()), "value.read_into(&mut v."+g.names.Of(f)+")")
		}
		if keeps(d) {
			g.arm(unknownKey, "value.read_into(&mut v.unknown_fields)")
		}
		g.arm("_", "Ok(())")
	})
	g.Line("})?;")
	g.Line("Ok(v)")
}

func (g *generator) unionJSON(u *ir.Union) {
	var rows []string
	for _, a := range u.Alternatives {
		rows = append(rows, fmt.Sprintf("json::Alternative::new(%d, %s, %s)", a.Tag, quote(jsonName(&a.Meta, a.Name)), quote(a.Name)))
	}
	of := map[bool]string{true: "closed", false: "open"}[u.Closed]
	g.table("const ALTERNATIVES: json::Union =", "json::Union::"+of+"(", rows, ")")
	g.Line("")
	for _, form := range g.forms(u) {
		g.writeJSON(u, form, func() { g.writeUnionJSON(u) })
	}
	g.readJSON(u, func() { g.readUnionJSON(u) })
}

func (g *generator) writeUnionJSON(u *ir.Union) {
	g.Line("match self {")
	g.In(func() {
		for i, a := range u.Alternatives {
			pattern, payload := "Self::"+g.names.Of(a), "&()"
			if a.Type != nil {
				pattern, payload = pattern+"(payload)", "payload"
			}
			g.arm(pattern, fmt.Sprintf("writer.alternative(&ALTERNATIVES, %d, %s)", i, payload))
		}
		if !u.Closed {
			g.arm("Self::Unknown { tag, payload }", "writer.unknown(&ALTERNATIVES, *tag, payload)")
		}
	})
	g.Line("}")
}

// readUnionJSON prints what reads a union. The runtime gives no key but those of
// the table, and `$unknown` if the union is open.
func (g *generator) readUnionJSON(u *ir.Union) {
	read := func(a *ir.Alternative) string {
		if a.Type == nil {
			return "value.null().map(|()| Self::" + g.names.Of(a) + ")"
		}
		return "value.read().map(Self::" + g.names.Of(a) + ")"
	}
	last := len(u.Alternatives) - 1
	if u.Closed && last == 0 {
		g.call("value.union", []string{"&ALTERNATIVES", "|_, value| " + read(u.Alternatives[0])}, "")
		return
	}
	g.Line("value.union(&ALTERNATIVES, |key, value| match key {")
	g.In(func() {
		for i, a := range u.Alternatives {
			pattern := quote(jsonName(&a.Meta, a.Name))
			if u.Closed && i == last {
				pattern = "_"
			}
			g.arm(pattern, read(a))
		}
		if !u.Closed {
			g.Emit(nil, `
				_ => {
					let (tag, payload) = value.unknown(&ALTERNATIVES)?;
					Ok(Self::Unknown { tag, payload })
				}
			`)
		}
	})
	g.Line("})")
}

func (g *generator) enumJSON(e *ir.Enum) {
	var rows []string
	for _, m := range e.Members {
		rows = append(rows, "("+quote(jsonName(&m.Meta, m.Name))+", "+enumNumber(e, m)+")")
	}
	g.table("const MEMBERS: json::Enum<"+scalars.Of(e.Base).name+"> =", "json::Enum(", rows, ")")
	g.Line("")
	name := g.types.name(e, owned)
	g.writeJSON(e, owned, func() {
		g.Line("MEMBERS.write(self.number(), writer);")
		g.Line("Ok(())")
	})
	member, make := "|number| Some(Self::from_number(number))", "map"
	if e.Closed {
		member, make = "Self::from_number", "and_then"
	}
	g.readJSON(e, func() { g.Line("MEMBERS.read(value, %s)", member) })
	g.Emit(emit.Vars{"name": name, "make": make}, `
		impl json::ToKey for $name$ {
			#[inline]
			fn write_key(&self, writer: &mut json::Writer) {
				MEMBERS.write_key(self.number(), writer);
			}
		}

		impl json::FromKey for $name$ {
			#[inline]
			fn read_key(text: &str) -> Option<Self> {
				MEMBERS.read_key(text).$make$(Self::from_number)
			}
		}
	`)
	g.serde(serialize, name, "serialize_enum(self, self.number(), serializer)")
	g.serde(deserialize, name, "deserialize_enum(deserializer, "+member+")")
}
