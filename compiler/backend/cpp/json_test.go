package cpp_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/interp/random"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// textSchema has what the shared schemas lack for JSON: keys of every type, enums of
// every base, names that are only for JSON.
const textSchema = `package texts;
enum E8: u8 { Low = 0, High = 255 } enum E16: u16 { Low = 0, High = 65535 } enum E32: u32 { Low = 0, High = 4294967295 }
enum E64: u64 { Low = 0, High = 18446744073709551615 } enum S8: i8 { Low = -128, High = 127 } enum S16: i16 { Low = -32768 }
enum S32: i32 { Low = -2147483648 } enum S64: i64 { Low = -9223372036854775808, High = 9223372036854775807 }
@closed enum Shut: i64 { @name(json = "\"shut\"\t/?") A = -1, @name(json = "Grüße") B = 1 }
struct Floats { singles: []f32, doubles: []f64 }
struct Enums { a: []E8, b: []E16, c: []E32, d: []E64, e: []S8, f: []S16, g: []S32, h: []S64, i: []Shut }
struct Keys {
    a: map<E8, u8>, b: map<E16, u8>, c: map<E32, u8>, d: map<E64, u8>, e: map<S8, u8>, f: map<S16, u8>, g: map<S32, u8>,
    h: map<S64, u8>, i: map<Shut, u8>, j: map<u8, u8>, k: map<u16, u8>, l: map<u32, u8>, m: map<u64, u8>, n: map<i8, u8>,
    o: map<i16, u8>, p: map<i32, u8>, q: map<i64, u8>, r: map<bool, u8>, s: map<str, map<u8, str>>, t: map<@len(u8) str, []u8>,
}
struct Named { @name(json = "a\\b\tc") odd: u8, @name(json = "ключ??/") other: str }
union Case { @name(json = "no\tpayload") None = 1, Some { @name(json = "größe") size: u8 } = 2, Octets([4]u8) = 3, Data([]u8) = 4 }
struct Cases { all: []Case }
struct Empty {}
@keep_unknown message Tail {}
struct Tails { empty: Empty, tail: Tail, tails: []Tail, maybe: []?Tail }
`

// texts is the program of textSchema and the shared schemas.
func texts(t *testing.T) *ir.Schema {
	t.Helper()
	files := check.Memory{"texts.sdp": textSchema}
	for _, name := range []string{"plugins.sdp", "shapes.sdp"} {
		text, err := os.ReadFile(schemas + name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	return checked(t, files, "texts.sdp", "plugins.sdp", "shapes.sdp")
}

// textProgram answers each line, a type and the hexadecimal digits of a value, by
// the JSON of that value: the same for all of its forms.
const textProgram = `
#include <iostream>
#include <string>
#include "sdp/json.hpp"
#include "texts.hpp"
#include "shapes.hpp"

template <class Form>
std::string text_of(sdp::bytes_view bytes) {
    const auto value = sdp::decode<Form>(bytes);
    if (!value) {
        return "not decoded: " + value.error().message();
    }
    const auto text = sdp::to_json(*value);
    return text ? *text : "refused: " + text.error().message();
}

template <class Owned, class... Forms>
std::string same_text_of(sdp::bytes_view bytes) {
    const std::string text = text_of<Owned>(bytes);
    return ((text == text_of<Forms>(bytes)) && ...) ? text : "the forms differ: " + text;
}

std::string answer(const std::string& type, sdp::bytes_view bytes) {
CASES    return "no such type: " + type;
}

int main() {
    std::ios::sync_with_stdio(false);
    for (std::string type, digits; std::cin >> type >> digits;) {
        std::vector<std::byte> bytes;
        for (std::size_t i = 1; i + 1 < digits.size(); i += 2) {
            bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
        }
        std::cout << answer(type, bytes) << '\n';
    }
}
`

// buildTextProgram compiles textProgram for all types of a schema.
func buildTextProgram(t *testing.T, schema *ir.Schema) string {
	t.Helper()
	folder := t.TempDir()
	generated, problems := generate(schema)
	if problems.Len() > 0 {
		t.Fatalf("the backend reports: %s", problems.Sorted()[0].Message)
	}
	for name, content := range generated {
		writeFile(t, filepath.Join(folder, name), content)
	}
	var cases strings.Builder
	for _, d := range valuesOf(schema) {
		pkg := d.DeclPackage().Name
		forms := pkg + "::" + d.DeclName()
		if pkg == "shapes" && strings.Contains(generated["shapes.hpp"], "\nstruct "+d.DeclName()+"Ref {") {
			forms = fmt.Sprintf("%[1]s::%[2]s, %[1]s::%[2]sRef, %[1]s::pmr::%[2]s", pkg, d.DeclName())
		}
		fmt.Fprintf(&cases, "    if (type == %q) {\n        return same_text_of<%s>(bytes);\n    }\n", typeOf(d), forms)
	}
	source, program := filepath.Join(folder, "main.cpp"), filepath.Join(folder, "main")
	writeFile(t, source, strings.Replace(textProgram, "CASES", cases.String(), 1))
	compiler := os.Getenv("CXX")
	if compiler == "" {
		compiler = "c++"
	}
	include := filepath.Join("..", "..", "..", "runtime", "cpp", "include")
	output, err := exec.Command(compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I"+include, "-I"+folder, "-o", program, source).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	return program
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// valuesOf is the types of a schema whose values are compared: types within others are compared in
// them.
func valuesOf(schema *ir.Schema) []ir.Decl {
	var decls []ir.Decl
	for _, pkg := range schema.Packages {
		for _, d := range pkg.Decls {
			_, isEnum := d.(*ir.Enum)
			if !isEnum && (ir.IDOf(d) != nil || pkg.Name == "texts") {
				decls = append(decls, d)
			}
		}
	}
	return decls
}

func typeOf(d ir.Decl) string { return d.DeclPackage().Name + "." + d.DeclName() }

// ask has a program answer lines.
func ask(t *testing.T, program string, lines []string) []string {
	t.Helper()
	command := exec.Command(program)
	command.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSuffix(string(output), "\n"), "\n")
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d lines", len(answers), len(lines))
	}
	return answers
}

// line asks for the JSON of a value.
func line(typ string, data []byte) string { return typ + " =" + hex.EncodeToString(data) }

func TestJSON(t *testing.T) {
	schema := texts(t)
	program := buildTextProgram(t, schema)
	t.Run("random values have the JSON of the interpreter", func(t *testing.T) { compareValues(t, schema, program) })
	t.Run("floats are written as Go writes them", func(t *testing.T) { compareFloats(t, program) })
}

func compareValues(t *testing.T, schema *ir.Schema, program string) {
	const valuesOfEach = 100
	var lines, want []string
	p := plan.New(schema)
	values := random.New(p, 1)
	for _, d := range valuesOf(schema) {
		codec, err := interp.New(p, d)
		if err != nil {
			t.Fatal(err)
		}
		for range valuesOfEach {
			data, err := codec.Append(nil, values.Value(d), interp.ByteMode)
			if err != nil {
				t.Fatalf("%s: %v", typeOf(d), err)
			}
			var text bytes.Buffer
			if err := codec.WriteJSON(&text, interp.FromBytes(data), interp.Options{}); err != nil {
				t.Fatalf("%s: %v", typeOf(d), err)
			}
			lines, want = append(lines, line(typeOf(d), data)), append(want, text.String())
		}
	}
	for i, got := range ask(t, program, lines) {
		if got != want[i] {
			t.Fatalf("%.300s\ngot  %.2000s\nwant %.2000s", lines[i], got, want[i])
		}
	}
}

// compareFloats compares numbers of any bits, and those between which layouts or
// lengths change.
func compareFloats(t *testing.T, program string) {
	const ofEachWidth = 100_000
	rng := rand.New(rand.NewPCG(1, 2))
	var singles []uint32
	var doubles []uint64
	add := func(f float64) {
		for _, f := range []float64{f, -f} {
			single, double := math.Float32bits(float32(f)), math.Float64bits(f)
			singles = append(singles, single-1, single, single+1)
			doubles = append(doubles, double-1, double, double+1)
		}
	}
	for exponent := -1074; exponent < 1024; exponent++ {
		add(math.Ldexp(1, exponent))
	}
	for exponent := -324; exponent < 309; exponent++ {
		add(math.Pow10(exponent))
	}
	for _, f := range []float64{0, math.Inf(1), math.NaN(), 1<<24 + 1, 1<<53 + 1, 5e-324, 123456789, 0.1, 1.0 / 3} {
		add(f)
	}
	for range ofEachWidth {
		singles, doubles = append(singles, rng.Uint32()), append(doubles, rng.Uint64())
		// Random bits are hardly ever near 1, where no exponent is written.
		add(math.Ldexp(rng.Float64(), rng.IntN(100)-30))
	}
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(singles)))
	text := []byte(`{"singles":[`)
	for i, bits := range singles {
		data = binary.LittleEndian.AppendUint32(data, bits)
		text = sdp.AppendJSONFloat32(separated(text, i), math.Float32frombits(bits))
		// Of two digits equally near, JSON-2.4 wants the even one. For 2⁻¹² strconv
		// takes the other.
		if bits<<1>>1 == math.Float32bits(0x1p-12) && text[len(text)-1] == '3' {
			text[len(text)-1] = '2'
		}
	}
	data = binary.LittleEndian.AppendUint32(data, uint32(len(doubles)))
	text = append(text, `],"doubles":[`...)
	for i, bits := range doubles {
		data = binary.LittleEndian.AppendUint64(data, bits)
		text = sdp.AppendJSONFloat64(separated(text, i), math.Float64frombits(bits))
	}
	text = append(text, "]}"...)
	got := strings.Split(ask(t, program, []string{line("texts.Floats", data)})[0], ",")
	want := strings.Split(string(text), ",")
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d: %.200s", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("number %d is %s, want %s", i, got[i], want[i])
		}
	}
}

func separated(text []byte, i int) []byte {
	if i == 0 {
		return text
	}
	return append(text, ',')
}
