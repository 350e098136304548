package measure

import (
	"errors"
	"os"
	"testing"
	"time"

	bench "github.com/serial-data-protocol/sdp/bench/go"
)

// TestMain lets Group start this very test program as its workers.
func TestMain(m *testing.M) {
	if worker, err := RunWorker(); worker {
		if err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

const data = "../../data"

func TestGroupSamplesEveryCaseInEveryRound(t *testing.T) {
	jobs := []Job{
		{Dataset: "absent", Codec: "benc", Cases: []bench.Case{bench.EncodeFresh, bench.EncodeReused}, Heap: HeapMinimal, SampleTime: time.Millisecond},
		{Dataset: "absent", Codec: "vtprotobuf", Cases: []bench.Case{bench.EncodeFresh}, Heap: HeapLive64, SampleTime: time.Millisecond},
	}
	all, err := Group(data, jobs, 4)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 {
		t.Fatalf("%d cases were measured, want 3", len(all))
	}
	for _, m := range all {
		if len(m.Samples) != 4 {
			t.Errorf("%s, %s has %d samples, want 4", m.Codec, m.Case, len(m.Samples))
		}
		if live := m.LiveBytes > 64<<20; live != (m.Heap == HeapLive64) {
			t.Errorf("%s: %d bytes are alive in heap mode %s", m.Codec, m.LiveBytes, m.Heap)
		}
	}
	perRun := func(m Measured) float64 {
		return float64(m.Samples[0].Mallocs) / float64(m.Samples[0].Iterations)
	}
	if fresh, reused := perRun(all[0]), perRun(all[1]); fresh < 0.99 || fresh > 1.1 || reused > 0.1 {
		t.Errorf("benc allocates %g times with a fresh and %g times with a reused buffer, want 1 and 0", fresh, reused)
	}
}

func TestGroupRefusesACaseThatACodecLacks(t *testing.T) {
	_, err := Group(data, []Job{{Dataset: "absent", Codec: "benc", Cases: []bench.Case{bench.Read}}}, 1)
	if err == nil {
		t.Error("benc has no views, but reading through one was measured")
	}
}

func TestCalibrationReachesTheSampleTime(t *testing.T) {
	loop := bench.Loop{Run: func(n int) error {
		time.Sleep(time.Duration(n) * 10 * time.Microsecond)
		return nil
	}}
	n, err := calibrate(loop, 5*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	// The sleep may last longer than asked for, never shorter.
	if n < 2 || n > 1000 {
		t.Errorf("calibrated to %d iterations of 10 µs for 5 ms", n)
	}
}

func TestCalibrationReportsTheLoopsError(t *testing.T) {
	broken := errors.New("broken")
	_, err := calibrate(bench.Loop{Run: func(int) error { return broken }}, time.Millisecond)
	if !errors.Is(err, broken) {
		t.Errorf("calibrating a loop that fails gave %v", err)
	}
}
