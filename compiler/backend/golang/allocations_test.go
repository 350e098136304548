package golang_test

import (
	goruntime "runtime"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/golang/testdata/golden/shapes"
	"github.com/serial-data-protocol/sdp/examples/registry/plugins"
	sdp "github.com/serial-data-protocol/sdp/runtime/go"
)

// allocatesNothing runs an operation often enough to be in its steady state.
func allocatesNothing(t *testing.T, name string, operation func()) {
	t.Helper()
	if raceEnabled {
		operation()
		return
	}
	if n := testing.AllocsPerRun(100, operation); n > 0 {
		t.Errorf("%s: %v allocations", name, n)
	}
}

func TestSteadyStatesAllocateNothing(t *testing.T) {
	v := registry(t)
	data := encode(t, v)
	message, err := plugins.EncodePluginRegistryMessage(v)
	must(t, err)
	buffer := make([]byte, 0, 2*len(data))
	allocatesNothing(t, "encoding into a reused buffer", func() {
		if _, err := v.AppendBinary(buffer); err != nil {
			t.Fatal(err)
		}
	})
	allocatesNothing(t, "encoding a message into a reused buffer", func() {
		if _, err := v.AppendMessage(buffer); err != nil {
			t.Fatal(err)
		}
	})
	allocatesNothing(t, "aliasing decode into a value", func() { must(t, v.DecodeWith(data, sdp.DecodeOptions{AliasInput: true})) })
	allocatesNothing(t, "aliasing decode of a message", func() {
		must(t, v.UnmarshalMessageWith(message, sdp.DecodeOptions{AliasInput: true}))
	})
	safe := decode[plugins.PluginRegistry](t, data)
	allocatesNothing(t, "decode of the same into a value", func() { must(t, safe.UnmarshalBinary(data)) })
}

func TestSteadyStatesOfEveryConstructAllocateNothing(t *testing.T) {
	v := everything()
	data := encode(t, v)
	allocatesNothing(t, "aliasing decode into a value", func() { must(t, v.DecodeWith(data, sdp.DecodeOptions{AliasInput: true})) })
	v = everything()
	v.ByName, v.ByNumber, v.ByKind = nil, nil, nil // sorted keys are collected
	buffer := make([]byte, 0, 2*len(data))
	allocatesNothing(t, "encoding into a reused buffer", func() {
		if _, err := v.AppendBinary(buffer); err != nil {
			t.Fatal(err)
		}
	})
}

func TestReadingEveryFieldThroughAViewAllocatesNothing(t *testing.T) {
	data := encode(t, registry(t))
	sum := 0
	allocatesNothing(t, "the registry's view", func() {
		view, err := plugins.ViewPluginRegistry(data)
		must(t, err)
		sum += int(view.TotalPluginCount() + view.TotalParameterCount())
		for p := range view.Plugins() {
			sum += len(p.Name()) + len(p.Manufacturer()) + len(p.URI()) + len(p.Class())
			for q := range p.Parameters() {
				sum += int(q.Address()) + len(q.DisplayName()) + len(q.Identifier()) + len(q.Unit()) + int(q.RawFlags())
				sum += int(q.MinValue() + q.MaxValue() + q.DefaultValue() + q.CurrentValue())
				if q.IsWritable() && q.CanRamp() {
					sum++
				}
			}
		}
	})
	if sum == 0 {
		t.Error("nothing was read")
	}
}

func TestAnAbsentOptionalAllocatesNothing(t *testing.T) {
	v := shapes.NewAbsent()
	data := encode(t, v)
	buffer := make([]byte, 0, 64)
	allocatesNothing(t, "encode", func() {
		if b, err := v.AppendBinary(buffer); err != nil || len(b) != 1 {
			t.Fatal(err)
		}
	})
	allocatesNothing(t, "decode", func() { must(t, v.UnmarshalBinary(data)) })
	allocatesNothing(t, "decode into a new value", func() {
		var fresh shapes.Absent
		must(t, fresh.UnmarshalBinary(data))
	})
}

func TestAFreshEncodingIsOneAllocation(t *testing.T) {
	v := registry(t)
	if raceEnabled {
		return
	}
	for name, encode := range map[string]func(*plugins.PluginRegistry) ([]byte, error){
		"byte mode": plugins.EncodePluginRegistry, "message mode": plugins.EncodePluginRegistryMessage,
	} {
		n := testing.AllocsPerRun(20, func() {
			if _, err := encode(v); err != nil {
				t.Fatal(err)
			}
		})
		if n != 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func TestAFreshDecodeOfTheRegistryIsSmall(t *testing.T) {
	data := encode(t, registry(t))
	fresh := func() {
		var v plugins.PluginRegistry
		must(t, v.UnmarshalBinary(data))
	}
	if raceEnabled {
		fresh()
		return
	}
	if n := testing.AllocsPerRun(20, fresh); n > 140 {
		t.Errorf("%v allocations, at most 140 are allowed", n)
	}
	if n := allocated(fresh); n > 225_000 && goruntime.GOARCH != "386" {
		t.Errorf("%d bytes, at most 225,000 are allowed", n)
	}
}

// allocated is how many bytes an operation allocates, the least of a few runs.
func allocated(operation func()) uint64 {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	least := ^uint64(0)
	for range 3 {
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		operation()
		goruntime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}
