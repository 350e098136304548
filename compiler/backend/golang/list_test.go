package golang_test

import (
	"bytes"
	"errors"
	"io"
	goruntime "runtime"
	"testing"
	"testing/iotest"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// pluginList is the bytes of the registry's list of plugins.
func pluginList(t testing.TB) ([]byte, []plugins.Plugin) {
	t.Helper()
	v := registry(t)
	data := encode(t, v)
	return data[:len(data)-8], v.Plugins
}

func TestListReaderReadsElementByElement(t *testing.T) {
	data, want := pluginList(t)
	for name, source := range map[string]io.Reader{
		"at once":              bytes.NewReader(data),
		"byte by byte":         iotest.OneByteReader(bytes.NewReader(data)),
		"with the end at once": iotest.DataErrReader(bytes.NewReader(data)),
	} {
		r := plugins.NewPluginListReader(source)
		total, left, err := r.Len()
		if total != len(want) || left != len(want) || err != nil {
			t.Fatalf("%s: %d elements, %d left, %v", name, total, left, err)
		}
		var got plugins.Plugin
		for i := range want {
			if err := r.Next(&got); err != nil || !got.Equal(&want[i]) {
				t.Fatalf("%s: element %d: %v", name, i, err)
			}
		}
		if err := r.Next(&got); err != io.EOF {
			t.Errorf("%s: behind the last: %v", name, err)
		}
		if total, left, err := r.Len(); total != len(want) || left != 0 || err != nil {
			t.Errorf("%s: %d elements, %d left, %v", name, total, left, err)
		}
	}
	i := 0
	for p, err := range plugins.NewPluginListReader(bytes.NewReader(data)).All() {
		if err != nil || !p.Equal(&want[i]) {
			t.Fatalf("element %d: %v", i, err)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d elements", i)
	}
}

func TestListWriterWritesTheListsBytes(t *testing.T) {
	data, elements := pluginList(t)
	var out bytes.Buffer
	w, err := plugins.NewPluginListWriter(&out, uint32(len(elements)))
	must(t, err)
	for i := range elements {
		if err := w.Close(); !errors.Is(err, sdp.ErrListCount) {
			t.Fatalf("closed early: %v", err)
		}
		must(t, w.Write(&elements[i]))
	}
	must(t, w.Close())
	mustEqualBytes(t, "list", out.Bytes(), data)
	if err := w.Write(&elements[0]); !errors.Is(err, sdp.ErrListCount) {
		t.Errorf("one more: %v", err)
	}
}

func TestListReaderRefusesACutList(t *testing.T) {
	data, elements := pluginList(t)
	data = data[:2000]
	for cut := range len(data) {
		r := plugins.NewPluginListReader(bytes.NewReader(data[:cut]))
		var err error
		var v plugins.Plugin
		n := 0
		for ; err == nil; n++ {
			err = r.Next(&v)
		}
		if cut < 4 {
			mustRefuse(t, err, sdp.ErrTruncated, 0, "")
			continue
		}
		var e *sdp.Error
		if !errors.As(err, &e) || n > len(elements) || e.Path[:1] != "[" {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if again := r.Next(&v); again != err {
			t.Fatalf("cut at %d: reading again: %v", cut, again)
		}
	}
}

func TestListReaderNamesTheElementOfARefusal(t *testing.T) {
	var out bytes.Buffer
	w, err := shapes.NewChoiceListWriter(&out, 3)
	must(t, err)
	for range 3 {
		must(t, w.Write(&shapes.Choice{Value: &shapes.ChoiceText{Value: "ab"}}))
	}
	damaged := out.Bytes()
	damaged[4+7+6] = 0xff
	r := shapes.NewChoiceListReader(bytes.NewReader(damaged))
	var v shapes.Choice
	must(t, r.Next(&v))
	mustRefuse(t, r.Next(&v), sdp.ErrUTF8Invalid, 6, "[1].Text")
}

func TestListReaderTakesElementsAsDeepAsTheyCanBeWritten(t *testing.T) {
	var out bytes.Buffer
	w, err := shapes.NewNodeListWriter(&out, 1)
	must(t, err)
	must(t, w.Write(chain(64)))
	var v shapes.Node
	must(t, shapes.NewNodeListReader(bytes.NewReader(out.Bytes())).Next(&v))
	if !v.Equal(chain(64)) {
		t.Error("the tree differs")
	}
	deep := append([]byte{1, 0, 0, 0}, bytes.Repeat([]byte{0, 0, 0, 0, 1}, 80)...)
	mustRefuse(t, shapes.NewNodeListReader(bytes.NewReader(deep)).Next(&v), sdp.ErrLimitDepth, 320, "[0]"+repeat(".left", 64))
}

func TestListReaderBoundsEachElement(t *testing.T) {
	var out bytes.Buffer
	w, err := shapes.NewChoiceListWriter(&out, 3)
	must(t, err)
	for _, text := range []string{"a", "0123456789", "01234567890"} {
		must(t, w.Write(&shapes.Choice{Value: &shapes.ChoiceText{Value: text}}))
	}
	r := shapes.NewChoiceListReader(bytes.NewReader(out.Bytes()))
	r.SetLimits(sdp.Limits{MessageBytes: 15})
	var v shapes.Choice
	must(t, r.Next(&v))
	must(t, r.Next(&v))
	mustRefuse(t, r.Next(&v), sdp.ErrLimitMessageBytes, 0, "[2]")
}

// TestAListLargerThanTheHeapIsRead writes 50 MB and reads them back through a
// pipe, while the heap stays small.
func TestAListLargerThanTheHeapIsRead(t *testing.T) {
	const n = 50 << 20 / (100 + 4 + 128)
	from, to := io.Pipe()
	go func() {
		w, err := shapes.NewLargeListWriter(to, n)
		if err == nil {
			v := shapes.Large{Name: repeat("x", 100)}
			for i := range n {
				v.A[0] = float64(i)
				if err = w.Write(&v); err != nil {
					break
				}
			}
		}
		to.CloseWithError(err)
	}()
	r := shapes.NewLargeListReader(from)
	var v shapes.Large
	var stats goruntime.MemStats
	for i := range n {
		if err := r.Next(&v); err != nil || v.A[0] != float64(i) {
			t.Fatalf("element %d: %v", i, err)
		}
		if i%50_000 == 0 {
			goruntime.GC()
			goruntime.ReadMemStats(&stats)
			if stats.HeapAlloc > 8<<20 {
				t.Fatalf("the heap has %d bytes at element %d", stats.HeapAlloc, i)
			}
		}
	}
	if err := r.Next(&v); err != io.EOF {
		t.Errorf("behind the last: %v", err)
	}
}

func TestAListsDeclaredCountCostsNoMemory(t *testing.T) {
	n := allocated(func() {
		r := plugins.NewPluginListReader(bytes.NewReader([]byte{0xff, 0xff, 0xff, 0xff}))
		var v plugins.Plugin
		mustRefuse(t, r.Next(&v), sdp.ErrTruncated, 0, "[0].name")
	})
	if n > 64<<10 {
		t.Errorf("%d bytes were allocated", n)
	}
}
