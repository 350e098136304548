package mxp

import (
	"errors"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A client that asks for more methods than any schema has makes no server keep counters of them all.
func TestMethodsBeyondTheFirstAreCountedTogether(t *testing.T) {
	var m meters
	for range 2 {
		for number := range uint16(methodsMax + 76) {
			m.begin(&Request{Service: "demo.Many", Method: number}, false).end(time.Millisecond, errors.New("told"))
		}
	}
	m.begin(&Request{Service: "demo.Other"}, false)
	m.begin(&Request{Service: "demo.Many"}, true)
	var stats session.Stats
	m.addStats(&stats)
	if len(stats.Methods) != methodsMax+2 {
		t.Fatalf("%d methods are counted", len(stats.Methods))
	}
	rest := stats.Methods[0]
	if rest.Service != "" || rest.Method != "" || rest.Requests[session.StatusUnknown] != 2*76 || rest.Took.Count != 2*76 || rest.InFlight != 1 {
		t.Errorf("the others have %+v", rest)
	}
	if served := stats.Methods[methodsMax+1]; !served.Served || served.Service != "" || served.InFlight != 1 {
		t.Errorf("the others that are served have %+v", served)
	}
	if one := stats.Methods[1]; one.Service != "demo.Many" || one.Method != "0" || one.Requests[session.StatusUnknown] != 2 || one.InFlight != 0 {
		t.Errorf("the first has %+v", one)
	}
}
