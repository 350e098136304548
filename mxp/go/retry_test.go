package mxp

import "testing"

func TestPolicyWithFieldsBelow0IsRefused(t *testing.T) {
	for _, p := range []RetryPolicy{{Attempts: -1}, {LeastPause: -1}, {GreatestPause: -1}, {Budget: -1}, {Timeout: -1}, {Hedge: -1}} {
		if _, err := Dial("mxp+tcp://127.0.0.1:1", ClientOptions{Retry: &p}); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}
