package session_test

import (
	"os"
	"testing"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// All languages write the same counters as the same text, which the file has.
func TestMethodsHaveOneText(t *testing.T) {
	find := session.MethodStats{
		Service: "demo.Shop", Method: "find", InFlight: 2,
		Requests: map[session.Status]uint64{session.StatusOK: 4, session.StatusNotFound: 1},
	}
	for _, took := range []uint64{1, 2, 3, 700, 1<<25 + 1} {
		find.Took.Buckets[session.LatencyBucket(took)]++
		find.Took.Sum += took
		find.Took.Count++
	}
	odd := session.MethodStats{
		Served: true, Service: "a\"b\\c\nd", Method: "9",
		Requests: map[session.Status]uint64{session.StatusUnauthenticated: 2, 99: 1},
	}
	odd.Took.Buckets[0], odd.Took.Count = 3, 3
	stats := session.Stats{Methods: []session.MethodStats{odd, {Served: true, InFlight: 5}, find}}
	stats.SortMethods()
	want, err := os.ReadFile("../../testdata/metrics.txt")
	if err != nil {
		t.Fatal(err)
	}
	if text := stats.Prometheus(); text != string(want) {
		t.Errorf("the text is\n%s", text)
	}
}
