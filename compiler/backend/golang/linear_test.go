package golang_test

import (
	"bytes"
	"fmt"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
)

// slowest are valid inputs of about n bytes that take long for their size.
var slowest = map[string]func(t testing.TB, n int) (*subject, []byte){
	"deep trees": func(t testing.TB, n int) (*subject, []byte) {
		deep := bytes.Repeat([]byte{1, 0, 0, 0}, 62)
		one := append(deep, 0, 0, 0, 0)
		return &treeSubject, append(le(n/len(one)), bytes.Repeat(one, n/len(one))...)
	},
	"tiny strings":                 func(t testing.TB, n int) (*subject, []byte) { return namesOf(t, n, "x") },
	"short text that is not ASCII": func(t testing.TB, n int) (*subject, []byte) { return namesOf(t, n, "日本語") },
	"long text that is not ASCII":  func(t testing.TB, n int) (*subject, []byte) { return namesOf(t, n, repeat("é😀", n/12)) },
	"unknown alternatives": func(t testing.TB, n int) (*subject, []byte) {
		return &logSubject, append(le(n/5), bytes.Repeat([]byte{200, 0, 0, 0, 0}, n/5)...)
	},
	"alternatives with text": func(t testing.TB, n int) (*subject, []byte) {
		one := []byte{4, 5, 0, 0, 0, 1, 0, 0, 0, 'x'}
		return &logSubject, append(le(n/len(one)), bytes.Repeat(one, n/len(one))...)
	},
	"many maps": func(t testing.TB, n int) (*subject, []byte) {
		one := []byte{3, 0, 0, 1, 1, 2, 2}
		return &sparseSubject, bytes.Join([][]byte{le(n / len(one)), bytes.Repeat(one, n/len(one)), bytes.Repeat([]byte{3}, 2000)}, nil)
	},
	"one map": func(t testing.TB, n int) (*subject, []byte) {
		v := everything()
		v.ByName = make(map[string]shapes.Point, n/20)
		for i := range n / 20 {
			v.ByName[fmt.Sprintf("%08x", i)] = shapes.Point{}
		}
		return &everythingSubject, encode(t, v)
	},
	"lists of lists": func(t testing.TB, n int) (*subject, []byte) { return &gridSubject, rows(n / 32) },
}

func namesOf(t testing.TB, n int, name string) (*subject, []byte) {
	v := &plugins.PluginRegistry{Plugins: make([]plugins.Plugin, n/(20+2*len(name)))}
	if len(v.Plugins) == 0 {
		v.Plugins = make([]plugins.Plugin, 1)
	}
	for i := range v.Plugins {
		v.Plugins[i].Name, v.Plugins[i].Class = name, name
	}
	return &registrySubject, encode(t, v)
}

// TestDecodingTakesTimeInProportionToItsInput decodes inputs that are refused at
// their very end, so that the walk which names the refusal runs too.
func TestDecodingTakesTimeInProportionToItsInput(t *testing.T) {
	for name, input := range slowest {
		t.Run(name, func(t *testing.T) {
			s, half := input(t, 4<<20)
			_, whole := input(t, 8<<20)
			half, whole = append(half, 1), append(whole, 1)
			if len(whole) < 2*len(half)-5000 || len(whole) > 2*len(half)+5000 {
				t.Fatalf("%d and %d bytes", len(half), len(whole))
			}
			most := 2.4
			if name == "one map" {
				most = 3 // the larger a hash table, the more of its entries miss the caches
			}
			inProportion(t, most, func() { refuseAtEnd(t, s, half) }, func() { refuseAtEnd(t, s, whole) })
		})
	}
}

func refuseAtEnd(t testing.TB, s *subject, data []byte) {
	if err := s.empty().UnmarshalBinary(data); err == nil || !strings.HasPrefix(refusal(err), fmt.Sprintf("trailing_bytes at byte %d ", len(data)-1)) {
		t.Fatal(err)
	}
}

// TestReadingJSONTakesTimeInProportionToItsInput reads texts whose last member is
// refused.
func TestReadingJSONTakesTimeInProportionToItsInput(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"objects":         func(n int) string { return `{"kids":[` + strings.Repeat(`{"kids":[]},`, n/12) + `{"kids":[]}],"x":0}` },
		"ignored members": func(n int) string { return `{"a":1,` + strings.Repeat(`"ignored":[[[1,2],3],4],`, n/24) + `"b":""}` },
		"white space":     func(n int) string { return `{"a":1,` + strings.Repeat(" ", n) + `"b":""}` },
		"one string":      func(n int) string { return `{"ignored":"` + strings.Repeat("é", n/2) + `","a":""}` },
		"no end":          func(n int) string { return `{"a":` + strings.Repeat(`{"a":[1]},`, n/10) },
	} {
		t.Run(name, func(t *testing.T) {
			read := func(text []byte) func() {
				return func() {
					var v value = new(shapes.Kept)
					if name == "objects" {
						v = new(shapes.Tree)
					}
					if v.UnmarshalJSON(text) == nil {
						t.Error("the text is accepted")
					}
				}
			}
			inProportion(t, 2.4, read([]byte(text(1<<20))), read([]byte(text(1<<21))))
		})
	}
}

// inProportion runs both in turn until it has seen three pairs in proportion.
// Other work of the machine spoils some pairs, but makes no three of them good.
// The garbage collector rests: it works on another processor as long as there is
// one, so that its share is not the decoder's.
func inProportion(t *testing.T, most float64, half, whole func()) {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var ratios []float64
	for good := 0; len(ratios) < 25; {
		ratio := float64(measure(whole)) / float64(measure(half))
		ratios = append(ratios, ratio)
		if ratio <= most {
			good++
		}
		if good == 3 {
			return
		}
	}
	t.Errorf("twice the bytes take %.1f times as long", ratios)
}

func measure(operation func()) time.Duration {
	goruntime.GC()
	start := time.Now()
	operation()
	return time.Since(start)
}
