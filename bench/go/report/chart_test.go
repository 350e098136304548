package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDocumentsHaveTheChartOfTheResults(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "docs"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Draw(root, results); err != nil {
		t.Fatal(err)
	}
	for _, c := range chartThemes {
		for _, l := range chartLayouts {
			drawn, err := os.ReadFile(filepath.Join(root, l.file(c)))
			if err != nil {
				t.Fatal(err)
			}
			committed, err := os.ReadFile(filepath.Join("../../..", l.file(c)))
			if err != nil || !bytes.Equal(drawn, committed) {
				t.Errorf("%s is not what bench/results show (%v); `bench/bench.sh -stamp` draws it", l.file(c), err)
			}
		}
	}
}

func TestChartHasABarOfEveryLibrary(t *testing.T) {
	m, err := readMeasurements(results)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range sectionsOf(m) {
		for j, panel := range s.panels {
			if got, want := len(panel), len(chartSections[i].panels[j]); got != want {
				t.Errorf("%s in %s has %d bars, want %d", s.title, chartLanguages[j], got, want)
			}
			for _, one := range panel {
				if one.mine != (strings.HasPrefix(one.label, "sdp") || one.label == "mxp") {
					t.Errorf("%s in %s: %s is marked as the wrong side's", s.title, chartLanguages[j], one.label)
				}
			}
		}
	}
}

// element is one of an SVG: its name, what it is of, where it begins and how long it is, and its text.
type element struct {
	name, class, text string
	x, width          float64
}

// elementsOf are the bars, lines and texts of a drawing, in their order.
func elementsOf(t *testing.T, drawing []byte) (all []element) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(drawing))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch part := token.(type) {
		case xml.StartElement:
			one := element{name: part.Name.Local}
			for _, a := range part.Attr {
				v, _ := strconv.ParseFloat(a.Value, 64)
				switch a.Name.Local {
				case "class":
					one.class = a.Value
				case "x", "x1":
					one.x = v
				case "width":
					one.width = v
				case "x2":
					one.width = v - one.x
				}
			}
			all = append(all, one)
		case xml.CharData:
			if len(all) > 0 {
				all[len(all)-1].text += strings.TrimSpace(string(part))
			}
		}
	}
}

// A telephone of 360 pixels shows the narrow chart as large as it is, and every text lies within its chart.
func TestLettersOfTheChartAreLargeEnough(t *testing.T) {
	const telephone, letterMin, letterWide = 360, 9, 0.56
	size, err := strconv.ParseFloat(letterSize, 64)
	if err != nil {
		t.Fatal(err)
	}
	m, err := readMeasurements(results)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range chartLayouts {
		if shown := size * min(1, telephone/float64(l.width)); l.column == 0 && shown < letterMin {
			t.Errorf("the letters of the chart%s have %.1f pixels", l.name, shown)
		}
		for _, e := range elementsOf(t, l.svg(sectionsOf(m), chartThemes[0])) {
			if e.name == "style" {
				continue
			}
			wide := size * letterWide * float64(utf8.RuneCountInString(e.text))
			left, right := e.x, e.x+wide
			if strings.HasPrefix(e.class, "name") {
				left, right = e.x-wide, e.x
			}
			if left < 0 || right > float64(l.width) {
				t.Errorf("%q of the chart%s is from %.0f to %.0f", e.text, l.name, left, right)
			}
		}
	}
}

func TestBarsAreAsLongAsTheirNumbers(t *testing.T) {
	for _, l := range chartLayouts {
		barsAreAsLongAsTheirNumbers(t, l)
	}
}

func barsAreAsLongAsTheirNumbers(t *testing.T, l layout) {
	t.Helper()
	panel := []bar{
		{"sdp", IntervalOf([]float64{2, 2, 2, 2, 2, 2}), true},
		{"peer", IntervalOf([]float64{5, 5, 6, 6, 6, 8}), false},
		{"few & rounds", IntervalOf([]float64{1.5}), false},
	}
	drawing := l.svg([]section{{title: "a < b", unit: "µs", panels: [3][]bar{nil, panel, nil}}}, chartThemes[0])
	all := elementsOf(t, drawing)
	isA := func(name, class string) []element {
		return slices.DeleteFunc(slices.Clone(all), func(e element) bool { return e.name != name || !slices.Contains(strings.Fields(class), e.class) })
	}
	rects, lines := isA("rect", "bar our"), isA("line", "error")
	if len(rects) != 3 || len(lines) != 2 {
		t.Fatalf("there are %d bars and %d lines across their ends", len(rects), len(lines))
	}
	unit, from := float64(l.most)/8, float64(l.column+l.bars())
	for i, want := range []float64{2, 6, 1.5} {
		if got := rects[i]; math.Abs(got.width-want*unit) > 0.01 || got.x != from || (got.class == "our") != panel[i].mine {
			t.Errorf("%s of %g is %+v, and should be %g long", panel[i].label, want, got, want*unit)
		}
	}
	if got := lines[1]; math.Abs(got.x-(from+5*unit)) > 0.01 || math.Abs(got.width-3*unit) > 0.011 {
		t.Errorf("the line from 5 to 8 is %+v", got)
	}
	var texts []string
	for _, e := range all {
		texts = append(texts, e.text)
	}
	for _, want := range []string{"a < b", "sdp", "2.00", "peer", "6.00", "few & rounds", "1.50", "not measured"} {
		if !slices.Contains(texts, want) {
			t.Errorf("the drawing lacks %q", want)
		}
	}
}
