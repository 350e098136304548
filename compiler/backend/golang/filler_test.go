package golang_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// filler fills values of generated types at random, the same for the same seed.
type filler struct {
	*rand.Rand
	depth int
}

func newFiller(seed uint64) *filler { return &filler{Rand: rand.New(rand.NewPCG(seed, 0))} }

func randomEverything(seed uint64) *shapes.Everything {
	v := new(shapes.Everything)
	newFiller(seed).fill(reflect.ValueOf(v).Elem())
	return v
}

// alternatives makes an empty value of each that a union may hold.
var alternatives = map[reflect.Type][]func() any{
	reflect.TypeFor[shapes.EventAlternative](): {
		func() any { return new(shapes.EventLoaded) }, func() any { return new(shapes.EventChanged) },
		func() any { return new(shapes.EventStopped) }, func() any { return new(shapes.EventRenamed) },
		func() any { return new(shapes.EventApplied) }, func() any { return new(shapes.EventUnknown) },
	},
	reflect.TypeFor[shapes.ChoiceAlternative](): {
		func() any { return new(shapes.ChoiceNumber) }, func() any { return new(shapes.ChoiceText) },
		func() any { return new(shapes.ChoiceNothing) },
	},
}

func (f *filler) fill(v reflect.Value) {
	if f.special(v) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(f.bits() >> (64 - v.Type().Bits()))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.bits()) >> (64 - v.Type().Bits()))
	case reflect.Float32:
		v.Set(reflect.ValueOf(math.Float32frombits(f.Uint32())).Convert(v.Type()))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(f.Uint64()))
	case reflect.String:
		v.SetString(f.text(f.length()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), f.length(), 20))
		f.elements(v)
	case reflect.Array:
		f.elements(v)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range f.length() {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key)
			f.fill(value)
			v.SetMapIndex(key, value)
		}
	case reflect.Pointer:
		f.pointer(v)
	case reflect.Interface:
		made := alternatives[v.Type()]
		alternative := reflect.ValueOf(made[f.IntN(len(made))]())
		f.fill(alternative.Elem())
		v.Set(alternative)
	case reflect.Struct:
		f.fields(v)
	default:
		panic(fmt.Sprintf("the filler knows no %v", v.Type()))
	}
}

// special fills what not every pattern of bits is valid for.
func (f *filler) special(v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = sdp.TimeOf(int64(f.bits()))
	case *shapes.Mode:
		*p = []shapes.Mode{shapes.ModeOff, shapes.ModeOn}[f.IntN(2)]
	case *shapes.Kept:
		p.A, p.B = uint8(f.Uint32()), uint16(f.Uint32())
		p.SetUnknownFields([]byte(f.text(f.length())))
	case *shapes.EventUnknown:
		p.Number, p.Payload = uint8(6+f.IntN(250)), []byte(f.text(f.length()))
	default:
		return false
	}
	return true
}

func (f *filler) elements(v reflect.Value) {
	for i := range v.Len() {
		f.fill(v.Index(i))
	}
}

// fields fills a struct. The absent value of an optional stays empty, as
// decoding leaves it.
func (f *filler) fields(v reflect.Value) {
	if present := v.FieldByName("Present"); present.IsValid() && f.IntN(2) == 0 {
		return
	}
	for i := range v.NumField() {
		f.fill(v.Field(i))
		if v.Type().Field(i).Name == "Bounded" {
			v.Field(i).SetString(f.text(f.IntN(2)))
		}
	}
}

// pointer fills an optional, and always a large array. Trees end somewhere.
func (f *filler) pointer(v reflect.Value) {
	isArray := v.Type().Elem().Kind() == reflect.Array
	if !isArray && (f.depth > 8 || f.IntN(2) == 0) {
		return
	}
	f.depth++
	v.Set(reflect.New(v.Type().Elem()))
	f.fill(v.Elem())
	f.depth--
}

// bits prefers the ends of the range.
func (f *filler) bits() uint64 {
	switch f.IntN(4) {
	case 0:
		return 0
	case 1:
		return math.MaxUint64
	case 2:
		return 1 << 63
	}
	return f.Uint64()
}

func (f *filler) length() int { return []int{0, 1, 2, 3, 5, 9, 17}[f.IntN(7)] }

// text is n characters of one to four bytes each.
func (f *filler) text(n int) string {
	letters := []rune("abcdefgh ijkl\x00\"\\éß和😀\u2028")
	text := make([]rune, n)
	for i := range text {
		text[i] = letters[f.IntN(len(letters))]
		if n > 4 && f.IntN(8) > 0 {
			text[i] = 'e'
		}
	}
	return string(text)
}
