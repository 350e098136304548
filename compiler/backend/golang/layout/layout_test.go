package layout

import (
	"go/format"
	"strings"
	"testing"
)

// Each function is printed as no generator indents it, and some as gofmt doesn't leave them.
var paragraphsOfCode = []string{
	"func f() {\nif a {\nb()\n} else if c {\nd()\n}\nfor {\nn++\n}\n}",
	"func f() int {\nswitch a {\ncase 1, 2:\nreturn 1\ndefault:\nswitch {\ncase b:\n}\n}\nreturn 0\n}",
	"func f() {\nswitch a {\n// one\ncase 1:\nb()\n// end\n}\n}",
	"func f() {\nb() // why\nlonger() // because\n}",
	"func f() {\n// { ( [ \" ` '\nb(\"{ // \\\" (\", '{', '\\'', `}`)\n}",
	"func f() string {\nreturn `a {\n\t b\n   c (`\n}",
	"func f() {\ng(`\n`, func() {\nh()\n})\n}",
	"func f() {\nx := []int{\n1,\n22,\n}\ny := T{\na: 1,\nlonger: 2,\n}\n}",
	"func f() {\nvar (\na int\nlonger string\n)\ntype t struct {\na int\nlonger string\n}\n}",
	"func f() {\nif a ||\nb {\nc()\n}\ng(a,\nb)\nx := a +\nb\n}",
	"func f() {\nloop:\nfor {\nbreak loop\n}\n}",
	"func f() {\nif a { b() }\ng := func() int { return 1 }\nh(func() { g() }, T{a: 1}, []int{1})\n}",
	"func f() {\n\na()\n\n\nb()\n\n}",
	"func f() {\nfor i := range (*v) {\na()\n}\n}",
	"func f() { a(); b() }",
	"func (t *T) Name() int { return t.name }\nfunc (t *T) Other() string { return t.other }",
	"func f() {}\nfunc g() {}",
	"// F does.\nfunc F() {}",
	"// F does:\n//   - this\n//   - that\nfunc F() {}",
	"// F ''does''.\n//\n//\n// Heading\n//\n// And more.\nfunc F() {\nreturn\n}",
	"// alone",
	"/* F */ func F() {\nreturn\n}",
	"type T struct {\na int // why\nlonger string\n}",
	"const (\na = 1\nlonger = 2\n)",
	"var a, longer = 1, 2",
	"func f() {\nselect {\ncase <-a:\nb++\ncase c <- d:\n}\n}",
	"func f() {\nx, y := a.(T)\nif x := (T{}); x == y {\nz--\n}\n}",
}

func TestCodeIsLaidOutAsGofmtDoes(t *testing.T) {
	check := func(code string) {
		t.Helper()
		formatted, err := format.Source([]byte("package p\n\n" + code + "\n"))
		if err != nil {
			t.Fatalf("%v\n%s", err, code)
		}
		want := strings.TrimPrefix(string(formatted), "package p\n\n")
		if got, _ := Code(code+"\n", nil); string(got) != want {
			t.Errorf("of\n%s\nis made\n%s\nand gofmt makes\n%s", code, got, want)
		}
	}
	for _, code := range paragraphsOfCode {
		check(code)
	}
	check(strings.Join(paragraphsOfCode, "\n\n"))
	for width := range 120 {
		x := strings.Repeat("x", width)
		check("func f" + x + "(a int) error { return g(a) }")
		check("func f" + x + "() {}")
	}
}

func TestPackagesAreThoseThatNothingDeclares(t *testing.T) {
	const code = "// io.EOF\nfunc f(math int) {\n_ = \"time.Now\"\n_ = math.x\n_ = v.iter.x\nsdp.A()\n}\n\n" +
		"func g(w io.Writer) {\n_ = `iter.Seq`\n}\n"
	_, named := Code(code, []string{"io", "iter", "math", "sdp", "time"})
	for name, want := range map[string]bool{"io": true, "iter": false, "math": false, "sdp": true, "time": false} {
		if named[name] != want {
			t.Errorf("%s: %t", name, named[name])
		}
	}
}
