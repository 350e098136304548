package diag

import (
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

// at returns the span of the n-th occurrence of a part, counted from 0.
func at(t *testing.T, f *source.File, part string, n int) source.Span {
	t.Helper()
	start := 0
	for {
		i := strings.Index(f.Text()[start:], part)
		if i < 0 {
			t.Fatalf("%q does not occur %d times", part, n+1)
		}
		if n == 0 {
			return f.Span(start+i, start+i+len(part))
		}
		start += i + len(part)
		n--
	}
}

func render(t *testing.T, d *Diagnostic) string {
	t.Helper()
	var out strings.Builder
	if err := WriteText(&out, []*Diagnostic{d}, false); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTextUnderlinesPlacesInOrder(t *testing.T) {
	f := source.New("plugins.sdp", "struct P {\n    name: str,\n    uri: str,\n    name: str,\n}\n")
	var l List
	l.Error("S0203", at(t, f, "name", 1), "field `name` is declared twice").
		WithRelated(at(t, f, "name", 0), "first declared here").
		WithHelp("rename one of the two, or remove it")
	want := "error[S0203]: field `name` is declared twice\n" +
		" --> plugins.sdp:4:5\n" +
		"  |\n" +
		"2 |     name: str,\n" +
		"  |     ---- first declared here\n" +
		"4 |     name: str,\n" +
		"  |     ^^^^\n" +
		"  = help: rename one of the two, or remove it\n"
	if got := render(t, l.Sorted()[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTextShowsOneLineOnceAndOtherFilesApart(t *testing.T) {
	f := source.New("a.sdp", strings.Repeat("\n", 9)+"x, x")
	g := source.New("b.sdp", "struct Other {}")
	var l List
	l.Warning("L0001", at(t, f, "x", 1), "twice").WithLabel("again").
		WithRelated(at(t, f, "x", 0), "first").
		WithRelated(at(t, g, "Other", 0), "unlike this")
	want := "warning[L0001]: twice\n" +
		"  --> a.sdp:10:4\n" +
		"   |\n" +
		"10 | x, x\n" +
		"   | - first\n" +
		"   |    ^ again\n" +
		"  ::: b.sdp:1:8\n" +
		"   |\n" +
		"1  | struct Other {}\n" +
		"   |        ----- unlike this\n"
	if got := render(t, l.Sorted()[0]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTextWithoutPlaceHasOnlyTheMessage(t *testing.T) {
	var l List
	l.Error("S0001", source.Span{}, "x.sdp cannot be read").WithHelp("check the path")
	want := "error[S0001]: x.sdp cannot be read\n = help: check the path\n"
	if got := render(t, l.Sorted()[0]); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUnderlineFollowsCellsNotBytes(t *testing.T) {
	cases := []struct {
		name, text, part, shown, underline string
	}{
		{"tabs", "\tab\tcd", "cd", "    ab  cd", "        ^^"},
		{"accents", "é é x", "x", "é é x", "    ^"},
		{"combining mark", "e\u0301 x", "x", "e\u0301 x", "  ^"},
		{"wide script", "日本 x", "x", "日本 x", "     ^"},
		{"wide script underlined", "日本 x", "日本", "日本 x", "^^^^"},
		{"emoji", "😀 x", "x", "😀 x", "   ^"},
		{"escape sequence", "\x1b[31m x", "x", "\ufffd[31m x", "      ^"},
		{"direction override", "\u202e x", "x", "\ufffd x", "  ^"},
		{"not UTF-8", "\xff x", "x", "\ufffd x", "  ^"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := source.New("f", c.text)
			lines := strings.Split(render(t, &Diagnostic{Span: at(t, f, c.part, 0)}), "\n")
			if lines[3] != "1 | "+c.shown || lines[4] != "  | "+c.underline {
				t.Errorf("got\n%s\n%s\nwant\n1 | %s\n  | %s", lines[3], lines[4], c.shown, c.underline)
			}
		})
	}
}

func TestEmptySpanGetsOneCellAndManyLinesOnlyTheFirst(t *testing.T) {
	f := source.New("f", "ab\r\ncd")
	for span, want := range map[source.Span]string{
		f.Span(1, 1): "  |  ^",
		f.Span(1, 6): "  |  ^",
		f.Span(6, 6): "  |   ^",
	} {
		lines := strings.Split(render(t, &Diagnostic{Span: span}), "\n")
		if lines[4] != want {
			t.Errorf("%d..%d: got %q, want %q", span.Start, span.End, lines[4], want)
		}
	}
}

func TestLongLineIsClippedAroundThePlace(t *testing.T) {
	f := source.New("f", strings.Repeat("é", 5000)+"HERE"+strings.Repeat("z", 1<<20))
	for _, part := range []string{"HERE", "HERE" + strings.Repeat("z", 1000)} {
		got := render(t, &Diagnostic{Span: at(t, f, part, 0)})
		lines := strings.Split(got, "\n")
		if len(lines[3]) > 400 || !strings.HasPrefix(lines[3], "1 | …é") || !strings.HasSuffix(lines[3], "z…") {
			t.Errorf("line is shown as %q", lines[3])
		}
		column := strings.IndexByte(lines[4], '^')
		if runes := []rune(lines[3]); string(runes[column:column+4]) != "HERE" {
			t.Errorf("the underline is not below the place:\n%s", got)
		}
	}
}

// A line need not be UTF-8, and then nothing in it may be the start of a code point.
func TestLongLineOfAnyBytesShowsEveryPlace(t *testing.T) {
	for name, text := range map[string]string{
		"no code point starts":  strings.Repeat("\x80", 1000),
		"after the first bytes": "struct" + strings.Repeat("\xbf", 1000),
		"cut in the middle":     strings.Repeat("\xf0\x9f", 500),
	} {
		f := source.New("f", text)
		for start := 0; start <= len(text); start++ {
			for _, end := range []int{start, min(start+1, len(text)), len(text)} {
				got := render(t, &Diagnostic{Span: f.Span(start, end)})
				lines := strings.Split(got, "\n")
				if len(lines) < 5 || !strings.Contains(lines[4], "^") || len(lines[3]) > 4*lineBytesMax {
					t.Fatalf("%s, %d..%d is shown as\n%s", name, start, end, got)
				}
			}
		}
	}
}

func TestColorWrapsOnlyWhenAskedFor(t *testing.T) {
	f := source.New("f", "abc")
	var plain, color strings.Builder
	d := []*Diagnostic{(&Diagnostic{Severity: SeverityError, Message: "m", Span: f.Span(0, 1)}).WithHelp("h")}
	if err := WriteText(&plain, d, false); err != nil {
		t.Fatal(err)
	}
	if err := WriteText(&color, d, true); err != nil {
		t.Fatal(err)
	}
	stripped := color.String()
	for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[1;31m", "\x1b[1;34m", "\x1b[1;36m"} {
		if !strings.Contains(stripped, code) {
			t.Errorf("colour %q is missing", code)
		}
		stripped = strings.ReplaceAll(stripped, code, "")
	}
	if stripped != plain.String() {
		t.Errorf("without colours:\n%q\nwant\n%q", stripped, plain.String())
	}
}
