package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"

	"services/gen/ledger"
)

func (c *client) lists(ctx context.Context) error {
	ids := "list:"
	if err := c.list(ctx, 1, 3, func(e *ledger.Entry) bool { ids += fmt.Sprint(" ", e.ID); return true }); err != nil {
		return err
	}
	c.say(ids, "list: 1 2 3")

	n := 0
	if err := c.list(ctx, 1, 1000, func(*ledger.Entry) bool { n++; return true }); err != nil {
		return err
	}
	c.say(fmt.Sprintf("list: %d", n), "list: 1000")

	f := failure(c.list(ctx, 2, 1, func(*ledger.Entry) bool { return true }))
	c.say(fmt.Sprintf("list: %d %s %q", f.Status, f.Name, f.Text), `list: 3 range_empty "no numbers"`)

	if err := c.list(ctx, 1, 1_000_000, func(*ledger.Entry) bool { return false }); err != nil {
		return err
	}
	c.say("list: left", "list: left")
	return nil
}

// list takes entries, as long as more are wanted.
func (c *client) list(ctx context.Context, first, last uint64, take func(*ledger.Entry) bool) error {
	entries, err := c.ledger.List(ctx, &ledger.Range{First: first, Last: last})
	if err != nil {
		return err
	}
	for e, err := range entries.All() {
		if err != nil {
			return err
		}
		if !take(e) {
			break
		}
	}
	return nil
}

func (c *client) sums(ctx context.Context) error {
	for _, one := range []struct {
		amounts []int64
		want    string
	}{
		{[]int64{1, 2, 3}, "sum: 3 6"},
		{nil, "sum: 0 0"},
		{[]int64{-1}, "sum: 9 sum_negative"},
	} {
		entries, err := c.ledger.Sum(ctx)
		if err != nil {
			return err
		}
		for _, amount := range one.amounts {
			if entries.Send(mark(&ledger.Entry{Amount: amount})) != nil {
				break // CloseAndRecv says why
			}
		}
		total, err := entries.CloseAndRecv()
		if err != nil {
			f := failure(err)
			c.say(fmt.Sprintf("sum: %d %s", f.Status, f.Name), one.want)
			continue
		}
		c.say(fmt.Sprintf("sum: %d %d", total.Entries, total.Amount), one.want)
	}
	return nil
}

func (c *client) negates(ctx context.Context) error {
	entries, err := c.ledger.Negate(ctx)
	if err != nil {
		return err
	}
	for amount := range int64(3) {
		if err := entries.Send(mark(&ledger.Entry{Amount: amount + 1})); err != nil {
			return err
		}
	}
	if err := entries.CloseSend(); err != nil {
		return err
	}
	amounts := "negate:"
	for e, err := range entries.All() {
		if err != nil {
			return err
		}
		amounts += fmt.Sprint(" ", e.Amount)
	}
	c.say(amounts, "negate: -1 -2 -3")

	n, err := c.inStep(ctx)
	c.say(fmt.Sprintf("negate: %d in step", n), "negate: 1000 in step")
	return err
}

// inStep sends each entry when the previous one has come back, and counts the correctly returned
// ones.
func (c *client) inStep(ctx context.Context) (n int64, err error) {
	entries, err := c.ledger.Negate(ctx)
	if err != nil {
		return 0, err
	}
	defer entries.Close()
	for n < 1000 {
		if err := entries.Send(mark(&ledger.Entry{Amount: n})); err != nil {
			return n, err
		}
		e, err := entries.Recv()
		if err != nil {
			return n, err
		}
		if e.Amount != -n {
			return n, fmt.Errorf("%d comes back as %d", n, e.Amount)
		}
		n++
	}
	if err := entries.CloseSend(); err != nil {
		return n, err
	}
	if _, err := entries.Recv(); !errors.Is(err, io.EOF) {
		return n, fmt.Errorf("the stream ends with %w", err)
	}
	return n, nil
}

func (c *client) books(ctx context.Context) error {
	before, err := c.ledger.Booked(ctx, &ledger.Nothing{})
	if err != nil {
		return err
	}
	entry := func(e *ledger.Entry) *ledger.Booking {
		return &ledger.Booking{Value: &ledger.BookingEntry{Value: *mark(e)}}
	}
	if err := c.ledger.Book(ctx, entry(&ledger.Entry{Amount: 5}), mxp.WithAck()); err != nil {
		return err
	}
	if err := c.ledger.Book(ctx, &ledger.Booking{Value: &ledger.BookingMany{Text: "many", Times: 2}}); err != nil {
		return err
	}
	c.say("book: ok", "book: ok")
	f := failure(c.ledger.Book(ctx, entry(&ledger.Entry{Text: "twice"}), mxp.WithAck()))
	c.say(fmt.Sprintf("book: %d %s", f.Status, f.Name), "book: 6 booked_twice")

	after, err := until(ctx, before.Entries+3, c.ledger.Booked)
	if err != nil {
		return err
	}
	c.say(fmt.Sprintf("booked: %d %d", after.Entries-before.Entries, after.Amount-before.Amount), "booked: 3 5")
	return nil
}
