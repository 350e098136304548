package check_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/ir"
)

// hostile makes texts of about a size that could cost more than their length.
var hostile = map[string]func(size int) string{
	"open braces":         repeat("{"),
	"open brackets":       repeat("["),
	"closed braces":       repeat("}"),
	"question marks":      repeat("?"),
	"at signs":            repeat("@"),
	"quotation marks":     repeat("\""),
	"backslashes":         func(n int) string { return "const A: str = \"" + strings.Repeat("\\", n) },
	"comment starts":      repeat("/*"),
	"comments":            repeat("/**/"),
	"documentation":       repeat("///\n"),
	"letters":             repeat("a"),
	"digits":              repeat("9"),
	"no characters of it": repeat("é$"),
	"semicolons":          repeat(";"),
	"words":               repeat("struct "),
	"lines of words":      repeat("struct\n"),
	"attributes":          repeat("@a(1) "),
	"one attribute":       func(n int) string { return "@x.a(" + strings.Repeat("1,", n/2) + ") struct A {}" },
	"list types":          func(n int) string { return "type A = " + strings.Repeat("[]", n/2) + "u8;" },
	"optional types":      func(n int) string { return "type A = " + strings.Repeat("?", n) + "u8;" },
	"map types":           func(n int) string { return "type A = " + strings.Repeat("map<u8, ", n/8) + "u8;" },
	"type attributes":     func(n int) string { return "type A = " + strings.Repeat("@max(1) ", n/8) + "str;" },
	"broken fields":       func(n int) string { return "struct A {" + strings.Repeat("a,", n/2) },
	"unclosed bodies":     repeat("struct A {\n"),
	"one name":            repeat("struct A {}"),
	"fields of one name":  func(n int) string { return "struct A {" + strings.Repeat("a:u8,", n/5) + "}" },
	"reserved numbers": func(n int) string {
		return "enum A: u32 { reserved " + numbered(n/20, "%d, ") + "1; " + numbered(n/20, "a%[1]d = %[1]d,") + "}"
	},
	"names not declared": func(n int) string { return "struct A {" + numbered(n/20, "a%[1]d: B%[1]d,") + "}" },
	"near names": func(n int) string {
		return numbered(n/40, "struct Alphabet%d {}") + "struct A {" + numbered(n/40, "a%[1]d: Alphabeta%[1]d,") + "}"
	},
	"chain of aliases": func(n int) string { return numbered(n/30, "type A%[1]d = A%[2]d;") },
	"chain of constants": func(n int) string {
		return numbered(n/35, "const A%[1]d: u8 = A%[2]d;") + fmt.Sprintf("const A%d: u8 = 1;", n/35)
	},
	"chain of structs": func(n int) string { return numbered(n/35, "struct A%[1]d { a: A%[2]d }") },
	"chain of lists":   func(n int) string { return numbered(n/30, "type A%[1]d = []A%[2]d;") },
	"ring of structs": func(n int) string {
		return numbered(n/35, "struct A%[1]d { a: A%[2]d }") + fmt.Sprintf("struct A%d { a: A0 }", n/35)
	},
	"wide union": func(n int) string {
		return "@closed union U { " + numbered(n/40, "A%[1]d(S) = 1, B%[1]d(U) = 2,") + "} struct S { u: ?U }"
	},
	"segments": func(n int) string { return "message M { a: u8, " + numbered(n/25, "@since(%[2]d) a%[1]d: u8,") + "}" },
	"json names": func(n int) string {
		return "struct A {" + numbered(n/40, "@name(json = \"a\") a%d: u8,") + "}"
	},
	"imports": repeat("import \"t.sdp\";"),
}

func repeat(part string) func(int) string {
	return func(size int) string { return strings.Repeat(part, size/len(part)) }
}

// numbered repeats a format with the numbers from 0, and each number's
// successor as a second argument.
func numbered(n int, format string) string {
	if !strings.Contains(format, "%[2]d") {
		// Without it fmt would complain about an argument too many.
		format += "%[2]*[3]s"
		return numberedWith(n, func(i int) string { return fmt.Sprintf(format, i, 0, "") })
	}
	return numberedWith(n, func(i int) string { return fmt.Sprintf(format, i, i+1) })
}

func numberedWith(n int, part func(int) string) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(part(i))
	}
	return out.String()
}

// TestHostileTextIsReadInTimeOfItsLength allows far more time than is needed,
// and far less than a square of the length would take.
func TestHostileTextIsReadInTimeOfItsLength(t *testing.T) {
	const size = 1 << 17
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			_, problems := compile(check.Memory{"t.sdp": text(size)}, "t.sdp")
			render(t, problems, "t.sdp")
			took := time.Since(start)
			t.Logf("%v, %d problems", took, problems.Len())
			if took > 10*time.Second {
				t.Errorf("%d bytes took %v", size, took)
			}
		})
	}
}

func FuzzProgram(f *testing.F) {
	for _, pattern := range []string{"diag/*.sdp", "valid/*.sdp"} {
		paths, err := filepath.Glob(filepath.Join("../testdata", pattern))
		if err != nil || len(paths) == 0 {
			f.Fatalf("no seeds %s: %v", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(text))
		}
	}
	const other = `package audio.common; type Gain = f32; const N: u8 = 3; enum Unit: i8 { Hertz = 1 } struct T { gain: Gain } message M { t: T }`
	f.Fuzz(func(t *testing.T, text string) {
		files := check.Memory{"t.sdp": text, "lib/common.sdp": other, "common.sdp": other, "plugins.sdp": "struct Plugin { name: str }"}
		schema, problems := compile(files, "t.sdp")
		if (schema == nil) != problems.HasErrors() {
			t.Fatalf("schema %v, problems:\n%s", schema, render(t, problems, "t.sdp"))
		}
		render(t, problems, "t.sdp")
		if schema == nil {
			return
		}
		// A schema that is accepted is also accepted in canonical form, as the same schema.
		files["t.sdp"] = schema.Roots[0].Canonical
		again, problems := compile(files, "t.sdp")
		if again == nil {
			t.Fatalf("the canonical text is refused:\n%s", render(t, problems, "t.sdp"))
		}
		if got, want := outline(again.Roots[0]), outline(schema.Roots[0]); got != want {
			t.Fatalf("the canonical text is another schema:\n%s\nwant\n%s", got, want)
		}
	})
}

// outline lists the types of a package by their wire-relevant facts.
func outline(p *ir.Package) string {
	var out strings.Builder
	fields := func(fields []*ir.Field) {
		for _, f := range fields {
			fmt.Fprintf(&out, " %s %d %s %v\n", f.JSONName(), f.Since, spell(f.Type), f.Default != nil)
		}
	}
	for _, d := range p.Decls {
		fmt.Fprintf(&out, "%T %s %v\n", d, ir.FullName(d), ir.IDOf(d) != nil)
		switch d := d.(type) {
		case *ir.Enum:
			for _, m := range d.Members {
				fmt.Fprintf(&out, " %s %d\n", m.Name, m.Number)
			}
		case *ir.Struct:
			fields(d.Fields)
		case *ir.Message:
			fields(d.Fields)
		case *ir.Union:
			for _, a := range d.Alternatives {
				fmt.Fprintf(&out, " %s %d %s\n", a.Name, a.Tag, spell(a.Type))
				if a.Inline != nil {
					fields(a.Inline.Fields)
				}
			}
		}
	}
	return out.String()
}

var schemaToken = regexp.MustCompile(`"[^"]*"|//[^\n]*\n|[A-Za-z0-9_]+|\s+|.`)

// TestMutatedSchemasNeverPanic removes, repeats and swaps tokens of schemas
// that have everything, so that the passes meet trees with any part missing.
func TestMutatedSchemasNeverPanic(t *testing.T) {
	const seed, rounds = 20, 3000
	random := rand.New(rand.NewPCG(seed, 0))
	files := check.Memory{}
	var tokens []string
	for _, name := range []string{"common.sdp", "plugins.sdp", "host.sdp"} {
		text, err := folder("../testdata/valid").Read(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = text
		tokens = append(schemaToken.FindAllString(text, -1), " ")
	}
	refused := 0
	for range rounds {
		mutated := slices.Clone(tokens)
		for range 1 + random.IntN(6) {
			i, j := random.IntN(len(mutated)), random.IntN(len(mutated))
			switch random.IntN(3) {
			case 0:
				mutated = slices.Delete(mutated, i, min(len(mutated), i+1+random.IntN(4)))
			case 1:
				mutated = slices.Insert(mutated, i, mutated[j])
			default:
				mutated[i], mutated[j] = mutated[j], mutated[i]
			}
		}
		files["host.sdp"] = strings.Join(mutated, "")
		schema, problems := compile(files, "host.sdp")
		if schema == nil {
			refused++
		}
		render(t, problems, "host.sdp")
	}
	t.Logf("seed %d: %d of %d refused", seed, refused, rounds)
	if refused == 0 || refused == rounds {
		t.Errorf("%d of %d mutated schemas are refused, so the mutations test little", refused, rounds)
	}
}
