package diag

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/serial-data-protocol/sdp/compiler/source"
)

func TestSummaryCounts(t *testing.T) {
	var l List
	l.Error("S0001", source.Span{}, "e")
	l.Warning("L0001", source.Span{}, "w")
	l.Warning("L0001", source.Span{}, "w")
	for want, files := range map[string][]string{
		"1 error, 2 warnings":             nil,
		"1 error, 2 warnings in a.sdp":    {"a.sdp"},
		"1 error, 2 warnings in 2 files":  {"a.sdp", "b.sdp"},
		"1 error, 2 warnings in a\ufffdb": {"a\x1bb"},
	} {
		if got := Summary(&l, files...); got != want {
			t.Errorf("Summary(%q) = %q, want %q", files, got, want)
		}
	}
}

func TestListKeepsABoundedNumber(t *testing.T) {
	var l, all List
	for range listMax {
		l.Error("S0001", source.Span{}, "e")
	}
	if l.Full() {
		t.Error("a list that dropped nothing is full")
	}
	l.Error("S0001", source.Span{}, "one more").WithHelp("the caller need not know")
	if !l.Full() || l.Len() != listMax || l.ErrorCount() != listMax {
		t.Errorf("Full %v, Len %d, ErrorCount %d", l.Full(), l.Len(), l.ErrorCount())
	}
	all.Append(&l)
	if !all.Full() || !all.HasErrors() {
		t.Error("Append loses that something was dropped")
	}
	if got := Summary(&all, "f"); !strings.HasSuffix(got, "(only the first 10000 problems are kept)") {
		t.Errorf("summary of a full list: %q", got)
	}
}

func TestSortedIsByFileThenPlaceThenAddition(t *testing.T) {
	a, b := source.New("z", "xxxx"), source.New("a", "xxxx")
	var l List
	for _, s := range []source.Span{a.Span(2, 3), b.Span(0, 1), a.Span(0, 1), a.Span(2, 4)} {
		l.Warning("L0001", s, "%s %d", s, s.End)
	}
	var got []string
	for _, d := range l.Sorted() {
		got = append(got, d.Message)
	}
	want := "z:1:1 1, z:1:3 3, z:1:3 4, a:1:1 1"
	if strings.Join(got, ", ") != want {
		t.Errorf("order %q, want %q", got, want)
	}
}

func TestJSONHasEveryMember(t *testing.T) {
	f := source.New("f.sdp", "é <x>\n")
	var l List
	l.Error("S0001", source.Span{}, "no place")
	l.Warning("L0002", f.Span(4, 5), "a <place>").WithLabel("here").
		WithRelated(f.Span(0, 2), "and").WithRelated(source.Span{}, "left out").
		WithHelp("do").WithFix("remove it", Edit{Span: f.Span(3, 6)})
	var out strings.Builder
	if err := WriteJSON(&out, &l); err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal([]byte(out.String()), &got); err != nil {
		t.Fatal(err)
	}
	err := json.Unmarshal([]byte(`{"diagnostics": [
		{"code": "S0001", "severity": "error", "message": "no place", "span": null, "label": "",
		 "related": [], "help": "", "fixes": []},
		{"code": "L0002", "severity": "warning", "message": "a <place>",
		 "span": {"file": "f.sdp", "start": {"offset": 4, "line": 1, "column": 4}, "end": {"offset": 5, "line": 1, "column": 5}},
		 "label": "here",
		 "related": [{"label": "and", "span": {"file": "f.sdp", "start": {"offset": 0, "line": 1, "column": 1}, "end": {"offset": 2, "line": 1, "column": 2}}}],
		 "help": "do",
		 "fixes": [{"title": "remove it", "edits": [{"text": "",
		   "span": {"file": "f.sdp", "start": {"offset": 3, "line": 1, "column": 3}, "end": {"offset": 6, "line": 1, "column": 6}}}]}]}
		], "errors": 1, "warnings": 1, "truncated": false}`), &want)
	if err != nil {
		t.Fatal(err)
	}
	gotText, _ := json.Marshal(got)
	wantText, _ := json.Marshal(want)
	if string(gotText) != string(wantText) {
		t.Errorf("got\n%s\nwant\n%s", gotText, wantText)
	}
}

func TestGitHubEscapesItsSeparators(t *testing.T) {
	f := source.New("a,b:c.sdp", "xx\nyy")
	var l List
	l.Error("S0001", f.Span(0, 1), "50%% of\nit").WithLabel("here, 50%").WithRelated(f.Span(3, 4), "see").WithHelp("do")
	l.Warning("L0001", f.Span(0, 4), "two lines")
	l.Error("S0002", source.Span{}, "nowhere")
	var out strings.Builder
	if err := WriteGitHub(&out, l.Sorted()); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a%2Cb%3Ac.sdp,line=1,endLine=1,col=1,endColumn=2,title=S0001::50%25 of%0Ait%0Ahere, 50%25%0Aa,b:c.sdp:2:1: see%0Ahelp: do\n" +
		"::warning file=a%2Cb%3Ac.sdp,line=1,endLine=2,title=L0001::two lines\n" +
		"::error title=S0002::nowhere\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestTableExplainsItsCodes(t *testing.T) {
	one := NewTable(fstest.MapFS{"codes/S0002.md": {Data: []byte("# S0002: second\n\nText.\n")}})
	two := NewTable(fstest.MapFS{"codes/S0001.md": {Data: []byte("# S0001: first\n\nMore.\n\n")}})
	catalog := Catalog{one, two}
	if codes := catalog.Codes(); len(codes) != 2 || codes[0] != "S0001" || codes[1] != "S0002" {
		t.Errorf("codes %v", codes)
	}
	if e, ok := catalog.Explain("s0001"); !ok || e != (Explanation{"S0001", "first", "More.\n"}) {
		t.Errorf("Explain = %+v, %v", e, ok)
	}
	if _, ok := catalog.Explain("S9999"); ok {
		t.Error("an unknown code has an explanation")
	}
}

func TestTableRefusesFilesOfAnotherShape(t *testing.T) {
	for _, text := range []string{"", "# S0002: wrong code\n", "S0001: no heading\n", "# S0001: \n"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is taken for an explanation", text)
				}
			}()
			NewTable(fstest.MapFS{"codes/S0001.md": {Data: []byte(text)}})
		}()
	}
}

func TestApplyEditsOneFile(t *testing.T) {
	f, other := source.New("f", "abcdef"), source.New("g", "abcdef")
	got, err := Apply(f, []Edit{{f.Span(4, 6), ""}, {f.Span(0, 0), "<"}, {other.Span(0, 6), "!"}, {f.Span(1, 3), "X"}, {f.Span(3, 3), "Y"}})
	if err != nil || got != "<aXYd" {
		t.Errorf("Apply = %q, %v", got, err)
	}
	if _, err := Apply(f, []Edit{{f.Span(0, 3), ""}, {f.Span(2, 4), ""}}); err == nil {
		t.Error("overlapping edits are applied")
	}
}

func TestNearestNeedsALikelyTypo(t *testing.T) {
	candidates := []string{"Plugin", "Parameter", "PluginRegistry", "u32", "u64"}
	for name, want := range map[string]string{
		"Plugn": "Plugin", "plugin": "Plugin", "Pluign": "Plugin", "Plugins": "Plugin", "PARAMETER": "Parameter",
		"Paramter": "Parameter", "u23": "u32", "Registry": "", "x": "", "": "",
		strings.Repeat("P", 65): "",
	} {
		if got := Nearest(name, candidates); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
