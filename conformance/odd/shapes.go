package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/language"
)

// declared are types of every kind, the empty ones among them. Types that take bytes may be
// elements.
const declared = `enum Open: u8 { A = 0 }
@closed enum Shut: i64 { A = 0, B = -9223372036854775808 }
struct Empty {}
struct Holds { empty: Empty }
struct Fixed { a: u8, b: f64, c: Shut }
struct Text { a: str }
message Nothing {}
@keep_unknown message Kept { a: Fixed, @since(2) b: ?Text }
@closed union Bare { A = 1, B = 255 }
@closed union Inline { A {} = 1, B { tag: u8, a: str } = 2 }
union Grows { A = 1, B(Text) = 2, C([1025]u8) = 3, D(map<str, Empty>) = 4 }
type Name = @len(u8) str;
`

var (
	elements = strings.Fields("bool u8 i64 f32 str bytes timestamp uuid Open Shut Fixed Text Nothing Kept Bare Inline Grows Name")
	// wrapped are types around one, at the bounds of what lies in place.
	wrapped = []string{
		"%s", "?%s", "[]%s", "[1]%s", "[64]%s", "[65]%s", "[129]%s", "[1025]%s", "?[]%s", "?[3]%s", "[]?%s", "[2][3]%s", "[][2]%s",
		"map<u8, %s>", "map<str, []%s>", "map<bool, ?%s>", "@len(u8) @max(3) []%s",
	}
)

// bodyMax is how many types one schema has, or its message's fields.
const bodyMax = 60

// shapes are schemas of each type around each other, in one of the places that a
// type has.
func shapes() []schema {
	var structs, messages, payloads []item
	for i, around := range wrapped {
		for j, elem := range elements {
			t := fmt.Sprintf(around, elem)
			name := fmt.Sprintf("f%dx%d", i, j)
			switch place := (i + j) % 7; {
			case place == 0:
				structs = append(structs, item{name, fmt.Sprintf("struct S%dx%d { a: %s, b: Empty }", i, j, t)})
			case place == 1 && len(payloads) < unionMax:
				payloads = append(payloads, item{name, fmt.Sprintf("A%dx%d(%s) = {n},", i, j, t)})
			case place < 4:
				messages = append(messages, item{name, fmt.Sprintf("%s: %s,", name, t)})
			}
		}
	}
	made := []schema{
		{name: "odd_payloads_of", head: "package odd_payloads_of;\n" + declared + "union Holder {\n", items: payloads, foot: "}\n"},
		{name: "odd_defaults", head: "package odd_defaults;\n" + declared + "message Holder {\n", items: defaults(), foot: "}\n"},
	}
	for chunk := range slices.Chunk(structs, bodyMax) {
		name := fmt.Sprintf("odd_structs_of%d", len(made))
		made = append(made, schema{name: name, head: "package " + name + ";\n" + declared, items: chunk})
	}
	for chunk := range slices.Chunk(messages, bodyMax) {
		name := fmt.Sprintf("odd_messages_of%d", len(made))
		made = append(made, schema{name: name, head: "package " + name + ";\n" + declared + "message Holder {\n", items: chunk, foot: "}\n"})
	}
	return made
}

// defaults are fields with the smallest and largest values of every type, and with
// texts of characters that mean something to a compiler.
func defaults() []item {
	var fields []item
	for _, text := range append(integers(), []string{
		"bool = true", "f32 = 3.4028235e38", "f32 = 1e-45",
		"f64 = 1.7976931348623157e308", "f64 = 5e-324", "f64 = -0.0", "f32 = -0.0", "f64 = 0", "?f32 = 16777217", "?u64 = 0", "?i64 = -1",
		"timestamp = -9223372036854775808", "duration = 9223372036854775807", "duration = -1", "uuid = \"ffffffff-ffff-ffff-ffff-ffffffffffff\"",
		"Open = A", "Shut = B", "?Shut = Shut.B", `str = ""`, "str = \"`\"", `str = "\"\\"`, `str = "??/%s{}$"`, `str = "*/ // /*"`, `?str = "é漢🎹"`,
		`Name = "\n\t"`,
	}...) {
		name := fmt.Sprintf("f%d", len(fields))
		fields = append(fields, item{name, "@since(2) " + name + ": " + text + ","})
	}
	return fields
}

// integers are the smallest and largest value of every integer type.
func integers() []string {
	var texts []string
	for _, k := range ir.Scalars() {
		if !k.IsInteger() {
			continue
		}
		least, most := "0", uint64(math.MaxUint64)>>(64-8*k.Bytes())
		if k.IsSigned() {
			most /= 2
			least = fmt.Sprintf("-%d", most+1)
		}
		texts = append(texts, fmt.Sprintf("%s = %s", k, least), fmt.Sprintf("%s = %d", k, most))
	}
	return texts
}

// random are schemas of words and types that chance puts together.
func random(seed uint64, count int) []schema {
	all, err := words(append([]string{"common", "members"}, language.All.Names()...)...)
	if err != nil {
		panic(err) // they are part of the program
	}
	rng := rand.New(rand.NewPCG(seed, 3))
	var made []schema
	for i := range count {
		s := schema{name: fmt.Sprintf("odd_random%d", i)}
		s.head = "package " + s.name + ";\n" + declared
		for range 24 {
			p := places[rng.IntN(len(places))]
			if p.head == "" {
				word := all[rng.IntN(len(all))]
				s.items = append(s.items, item{word, strings.ReplaceAll(p.line, "{w}", word)})
				continue
			}
			s.items = append(s.items, body(rng, p, all, len(s.items)))
		}
		s.head += "message Ask { a: u8 }\n"
		made = append(made, s)
	}
	return made
}

// body is a declaration of a random name in one line, with random names in it.
func body(rng *rand.Rand, p place, all []string, number int) item {
	// Types around the body get a name of their own.
	replace := strings.NewReplacer("Holder", fmt.Sprintf("H%d", number), "Host", fmt.Sprintf("H%d", number), "User", fmt.Sprintf("U%d", number),
		"message Ask { a: u8 }\n", "")
	var b strings.Builder
	b.WriteString(replace.Replace(p.head))
	for i := range 1 + rng.IntN(5) {
		line := p.line
		if before, _, typed := strings.Cut(line, "{w}: "); typed {
			around := wrapped[rng.IntN(len(wrapped))]
			if strings.Contains(before, "@since") {
				around = "?%s" // the type needs a value where the field is missing
			}
			line = before + "{w}: " + fmt.Sprintf(around, elements[rng.IntN(len(elements))]) + ","
		}
		line = strings.ReplaceAll(line, "{w}", all[rng.IntN(len(all))])
		b.WriteString(strings.ReplaceAll(line, "{n}", fmt.Sprint(i+1)) + " ")
	}
	b.WriteString(replace.Replace(p.foot))
	return item{p.name, strings.ReplaceAll(b.String(), "\n", " ")}
}
