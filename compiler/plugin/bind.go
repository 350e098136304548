package plugin

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/compiler/syntax"
	"github.com/serial-data-protocol/sdp/spec"
)

// codecs are those of Request and Response.
var codecs = sync.OnceValue(func() map[string]*interp.Codec {
	const name = "plugin.sdp"
	schema, problems := check.Program(check.Memory{name: spec.Plugin}, []string{name}, func(*syntax.File) string { return "" })
	if schema == nil {
		panic("plugin: " + name + ": " + problems.Sorted()[0].Message) // a test reads it
	}
	program, found := plan.New(schema), map[string]*interp.Codec{}
	for _, d := range schema.Roots[0].Decls {
		if ir.IDOf(d) != nil {
			codec, err := interp.New(program, d)
			if err != nil {
				panic("plugin: " + err.Error())
			}
			found[d.DeclName()] = codec
		}
	}
	return found
})

func codecOf(message reflect.Type) *interp.Codec { return codecs()[message.Name()] }

// encode is the bytes of a Request or Response, with the header of a message.
func encode[T Request | Response](message *T) ([]byte, error) {
	codec := codecOf(reflect.TypeFor[T]())
	return codec.Append(nil, valueOf(reflect.ValueOf(message).Elem(), rootOf(codec)), interp.MessageMode)
}

// decode reads a Request or Response. Its memory follows the bytes that are there.
func decode[T Request | Response](data []byte) (*T, error) {
	codec, limits := codecOf(reflect.TypeFor[T]()), interp.DefaultLimits()
	limits.MessageBytes = max(limits.MessageBytes, int64(len(data)))
	limits.MemoryBytes = max(limits.MemoryBytes, 2*int64(len(data)))
	value, err := codec.Decode(data, interp.Options{Mode: interp.MessageMode, Limits: &limits})
	if err != nil {
		return nil, err
	}
	message := new(T)
	setValue(reflect.ValueOf(message).Elem(), rootOf(codec), value)
	return message, nil
}

func rootOf(codec *interp.Codec) *ir.Type {
	return &ir.Type{Kind: ir.KindOf(codec.Decl()), Decl: codec.Decl()}
}

// named is the field of a structure that stands for what the schema calls so.
func named(in reflect.Value, name string) reflect.Value {
	name = strings.ReplaceAll(name, "_", "")
	field := in.FieldByNameFunc(func(of string) bool { return strings.EqualFold(of, name) })
	if !field.IsValid() {
		panic(fmt.Sprintf("plugin: %s has no field %s", in.Type(), name)) // a test asks for all
	}
	return field
}

// valueOf is a Go value as the interpreter has values of a type.
func valueOf(from reflect.Value, t *ir.Type) interp.Value {
	switch t.Kind {
	case ir.StrKind:
		return from.String()
	case ir.BytesKind:
		return from.Bytes()
	case ir.ListKind:
		list := make(interp.List, from.Len())
		for i := range list {
			list[i] = valueOf(from.Index(i), t.Elem)
		}
		return list
	case ir.MapKind:
		entries := interp.Map{}
		for _, key := range from.MapKeys() {
			entries = append(entries, interp.Entry{Key: key.String(), Value: from.MapIndex(key).String()})
		}
		slices.SortFunc(entries, func(a, b interp.Entry) int { return cmp.Compare(a.Key.(string), b.Key.(string)) })
		return entries
	case ir.OptionalKind:
		if from.IsNil() {
			return nil
		}
		return valueOf(from.Elem(), t.Elem)
	case ir.UnionKind:
		for _, a := range t.Union().Alternatives {
			if set := named(from, a.Name); !set.IsNil() {
				return interp.Union{Tag: a.Tag, Value: valueOf(set.Elem(), a.Type)}
			}
		}
		panic(fmt.Sprintf("plugin: a union %s holds nothing", from.Type()))
	case ir.StructKind:
		return interp.Struct(fieldsOf(from, t))
	case ir.MessageKind:
		return interp.Message{Fields: fieldsOf(from, t)}
	case ir.ArrayKind, ir.EnumKind:
	}
	switch from.Kind() {
	case reflect.Bool:
		return from.Bool()
	case reflect.Float64:
		return interp.F64(math.Float64bits(from.Float()))
	case reflect.Int64:
		return from.Int()
	}
	return from.Uint()
}

func fieldsOf(from reflect.Value, t *ir.Type) []interp.Value {
	var values []interp.Value
	for _, f := range ir.FieldsOf(t.Decl) {
		values = append(values, valueOf(named(from, f.Name), f.Type))
	}
	return values
}

// setValue makes a Go value of what the interpreter has, a zero one of what is empty. An
// alternative that is unknown leaves a union without any.
func setValue(to reflect.Value, t *ir.Type, value interp.Value) {
	if t.Kind == ir.OptionalKind {
		if value == nil {
			return
		}
		to.Set(reflect.New(to.Type().Elem()))
		to, t = to.Elem(), t.Elem
	}
	switch value := value.(type) {
	case bool:
		to.SetBool(value)
	case uint64:
		to.SetUint(value)
	case int64:
		to.SetInt(value)
	case interp.F64:
		to.SetFloat(math.Float64frombits(uint64(value)))
	case string:
		to.SetString(value)
	case []byte:
		to.SetBytes(value)
	case interp.List:
		if len(value) > 0 {
			to.Set(reflect.MakeSlice(to.Type(), len(value), len(value)))
		}
		for i, element := range value {
			setValue(to.Index(i), t.Elem, element)
		}
	case interp.Map:
		if len(value) > 0 {
			to.Set(reflect.MakeMap(to.Type()))
		}
		for _, entry := range value {
			to.SetMapIndex(reflect.ValueOf(entry.Key), reflect.ValueOf(entry.Value))
		}
	case interp.Union:
		for _, a := range t.Union().Alternatives {
			if a.Tag == value.Tag {
				pointed := named(to, a.Name)
				pointed.Set(reflect.New(pointed.Type().Elem()))
				setValue(pointed.Elem(), a.Type, value.Value)
			}
		}
	case interp.Struct:
		setFields(to, t, value)
	case interp.Message:
		setFields(to, t, value.Fields)
	}
}

func setFields(to reflect.Value, t *ir.Type, values []interp.Value) {
	for i, f := range ir.FieldsOf(t.Decl) {
		setValue(named(to, f.Name), f.Type, values[i])
	}
}
