package mxp

import (
	"context"
	"testing"
)

// A connection that is lost between its Hello and the client's use of it must not be
// waited for: Close would never return.
func TestConnectionLostBeforeItsUseIsNotUsed(t *testing.T) {
	lost, live := &conn{}, &conn{}
	c := &Client{conns: map[*conn]struct{}{live: {}}, changed: newSignal()}
	e := &endpoint{client: c, context: context.Background()}
	if e.use(lost) || e.conn != nil {
		t.Error("a connection that is gone is used")
	}
	if !e.use(live) || e.conn != live {
		t.Error("a connection that is there is not used")
	}
}
