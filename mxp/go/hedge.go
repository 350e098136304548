package mxp

import (
	"context"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

// hedged makes a request, and where its policy says so also on other connections as long as it has
// not ended [MXP-14.11].
func (c *Client) hedged(ctx context.Context, r *Request, retry *engine.Retry) (Reply, error) {
	if retry.Policy.Hedge == 0 || r.Kind != KindCall || !r.Idempotent || retry.Made >= retry.Policy.Attempts {
		return c.request(ctx, r)
	}
	first := c.chosen()
	if first == nil { // it waits for a connection
		return c.request(ctx, r)
	}
	ctx, cancel := context.WithCancel(ctx)
	h := hedge{client: c, asked: r, ends: make(chan hedgeEnd)}
	defer h.wait() // the value is the caller's again
	defer cancel()
	h.ask(ctx, first)
	timer := time.NewTicker(retry.Policy.HedgeAfter())
	defer timer.Stop()
	for {
		select {
		case end := <-h.ends:
			if h.flying--; h.flying == 0 || !retry.Repeatable(end.err) {
				return end.reply, end.err
			}
		case <-timer.C:
			if other := c.chosen(h.asks...); other != nil && c.budgeted(retry.MayHedge) {
				h.ask(ctx, other)
			}
		}
	}
}

// hedge is a call that is in flight on several connections.
type hedge struct {
	client *Client
	asked  *Request
	asks   []*conn // on which it was made
	flying int     // those that have not ended
	ends   chan hedgeEnd
}

type hedgeEnd struct {
	reply Reply
	err   error
}

func (h *hedge) ask(ctx context.Context, c *conn) {
	h.asks = append(h.asks, c)
	h.flying++
	one := *h.asked
	one.options.first = c
	go func() {
		reply, err := h.client.request(ctx, &one)
		h.ends <- hedgeEnd{reply, err}
	}()
}

func (h *hedge) wait() {
	for ; h.flying > 0; h.flying-- {
		<-h.ends
	}
}
