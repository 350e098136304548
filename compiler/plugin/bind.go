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

// codecs are the codecs of Request and Response.
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

// named is the field of a structure that stands for a name of the schema.
func named(scope reflect.Value, name string) reflect.Value {
	name = strings.ReplaceAll(name, "_", "")
	field := scope.FieldByNameFunc(func(d string) bool { return strings.EqualFold(d, name) })
	if !field.IsValid() {
		panic(fmt.Sprintf("plugin: %s has no field %s", scope.Type(), name)) // a test asks for all
	}
	return field
}

// valueOf is a Go value as the interpreter has values of a type.
func valueOf(source reflect.Value, t *ir.Type) interp.Value {
	switch t.Kind {
	case ir.StrKind:
		return source.String()
	case ir.BytesKind:
		return source.Bytes()
	case ir.ListKind:
		list := make(interp.List, source.Len())
		for i := range list {
			list[i] = valueOf(source.Index(i), t.Elem)
		}
		return list
	case ir.MapKind:
		entries := interp.Map{}
		for _, key := range source.MapKeys() {
			entries = append(entries, interp.Entry{Key: key.String(), Value: source.MapIndex(key).String()})
		}
		slices.SortFunc(entries, func(a, b interp.Entry) int { return cmp.Compare(a.Key.(string), b.Key.(string)) })
		return entries
	case ir.OptionalKind:
		if source.IsNil() {
			return nil
		}
		return valueOf(source.Elem(), t.Elem)
	case ir.UnionKind:
		for _, a := range t.Union().Alternatives {
			if set := named(source, a.Name); !set.IsNil() {
				return interp.Union{Tag: a.Tag, Value: valueOf(set.Elem(), a.Type)}
			}
		}
		panic(fmt.Sprintf("plugin: a union %s holds nothing", source.Type()))
	case ir.StructKind:
		return interp.Struct(fieldsOf(source, t))
	case ir.MessageKind:
		return interp.Message{Fields: fieldsOf(source, t)}
	case ir.ArrayKind, ir.EnumKind:
	}
	switch source.Kind() {
	case reflect.Bool:
		return source.Bool()
	case reflect.Float64:
		return interp.F64(math.Float64bits(source.Float()))
	case reflect.Int64:
		return source.Int()
	}
	return source.Uint()
}

func fieldsOf(source reflect.Value, t *ir.Type) []interp.Value {
	var values []interp.Value
	for _, f := range ir.FieldsOf(t.Decl) {
		values = append(values, valueOf(named(source, f.Name), f.Type))
	}
	return values
}

// setValue makes a Go value of the interpreter's value, a zero value of an empty one. An
// alternative that is unknown leaves a union without any.
func setValue(target reflect.Value, t *ir.Type, value interp.Value) {
	if t.Kind == ir.OptionalKind {
		if value == nil {
			return
		}
		target.Set(reflect.New(target.Type().Elem()))
		target, t = target.Elem(), t.Elem
	}
	switch value := value.(type) {
	case bool:
		target.SetBool(value)
	case uint64:
		target.SetUint(value)
	case int64:
		target.SetInt(value)
	case interp.F64:
		target.SetFloat(math.Float64frombits(uint64(value)))
	case string:
		target.SetString(value)
	case []byte:
		target.SetBytes(value)
	case interp.List:
		if len(value) > 0 {
			target.Set(reflect.MakeSlice(target.Type(), len(value), len(value)))
		}
		for i, element := range value {
			setValue(target.Index(i), t.Elem, element)
		}
	case interp.Map:
		if len(value) > 0 {
			target.Set(reflect.MakeMap(target.Type()))
		}
		for _, entry := range value {
			target.SetMapIndex(reflect.ValueOf(entry.Key), reflect.ValueOf(entry.Value))
		}
	case interp.Union:
		for _, a := range t.Union().Alternatives {
			if a.Tag == value.Tag {
				pointed := named(target, a.Name)
				pointed.Set(reflect.New(pointed.Type().Elem()))
				setValue(pointed.Elem(), a.Type, value.Value)
			}
		}
	case interp.Struct:
		setFields(target, t, value)
	case interp.Message:
		setFields(target, t, value.Fields)
	}
}

func setFields(target reflect.Value, t *ir.Type, values []interp.Value) {
	for i, f := range ir.FieldsOf(t.Decl) {
		setValue(named(target, f.Name), f.Type, values[i])
	}
}
