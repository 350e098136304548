package golang_test

import (
	"sync"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// mustShow compares what a view shows with the decoded value.
func mustShow(t testing.TB, view shapes.EverythingView, v *shapes.Everything) {
	t.Helper()
	got, want := everythingOf(view), v.Clone()
	want.Kept.SetUnknownFields(nil)
	if !got.Equal(want) {
		t.Errorf("the view shows\n%s\nwhich was decoded to\n%s", toJSON(t, got), toJSON(t, want))
	}
	lens := []int{
		view.NamesLen(), view.PointsLen(), view.GridLen(), view.FlagsLen(), view.ModesLen(), view.MaybesLen(), view.ByNameLen(),
		view.ByNumberLen(), view.ByKindLen(), view.ByFlagLen(), view.HistoryLen(), view.EventsLen(),
	}
	for i, n := range []int{
		len(v.Names), len(v.Points), len(v.Grid), len(v.Flags), len(v.Modes), len(v.Maybes), len(v.ByName),
		len(v.ByNumber), len(v.ByKind), len(v.ByFlag), len(v.History), len(v.Events),
	} {
		if lens[i] != n {
			t.Errorf("length %d is %d, not %d", i, lens[i], n)
		}
	}
}

func TestAViewShowsWhatDecodingReturns(t *testing.T) {
	eachSample(t, func(t *testing.T, v *shapes.Everything, data []byte) {
		view, err := shapes.ViewEverything(data)
		must(t, err)
		mustShow(t, view, v)
		message, err := shapes.EncodeEverythingMessage(v)
		must(t, err)
		view, err = shapes.ViewEverythingMessage(message)
		must(t, err)
		mustShow(t, view, v)
	})
}

func TestAViewOfTheRegistryShowsEveryField(t *testing.T) {
	v := registry(t)
	view, err := plugins.ViewPluginRegistry(encode(t, v))
	must(t, err)
	got := plugins.PluginRegistry{TotalPluginCount: view.TotalPluginCount(), TotalParameterCount: view.TotalParameterCount()}
	for p := range view.Plugins() {
		got.Plugins = append(got.Plugins, pluginOf(p))
	}
	if !got.Equal(v) {
		t.Error("the view shows something else")
	}
}

func TestAViewShowsDefaultsOfMissingSegments(t *testing.T) {
	v := shapes.NewSettings()
	v.Rate, v.Title, v.Origin.X = 5, "here", 1
	data := encode(t, v)
	for name, n := range map[string]int{"only segment 1": 4, "two segments": len(data) - 10, "all segments": len(data), "a tail too": len(data) + 3} {
		cut := append(data[:min(n, len(data)):len(data)], make([]byte, max(0, n-len(data)))...)
		view, err := shapes.ViewSettings(cut)
		must(t, err)
		if got, want := settingsOf(view), decode[shapes.Settings](t, cut); got != *want {
			t.Errorf("%s: the view shows %+v, decoding returns %+v", name, got, *want)
		}
		_, err = shapes.ViewSettingsWith(cut, sdp.DecodeOptions{Exact: true})
		if exact := new(shapes.Settings).DecodeExact(cut); (err == nil) != (exact == nil) || err != nil && err.Error() != exact.Error() {
			t.Errorf("%s: exact: %v and %v", name, err, exact)
		}
	}
}

func TestAViewStopsWhenItsReaderDoes(t *testing.T) {
	view, err := shapes.ViewEverything(encode(t, everything()))
	must(t, err)
	n := 0
	for range view.Names() {
		n++
		break
	}
	for range view.ByName() {
		n++
		break
	}
	for row := range view.Grid() {
		for range row.All() {
			n++
			break
		}
		break
	}
	if n != 3 {
		t.Errorf("%d turns", n)
	}
}

func TestAViewMayBeUsedBySeveralGoroutines(t *testing.T) {
	v := everything()
	data := encode(t, v)
	view, err := shapes.ViewEverything(data)
	must(t, err)
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			for range 20 {
				mustShow(t, view, v)
				if _, err := shapes.ViewEverything(data); err != nil {
					t.Error(err)
				}
				if !decode[shapes.Everything](t, data).Equal(v) {
					t.Error("the decoded value differs")
				}
				if _, err := v.MarshalBinary(); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	all.Wait()
}
