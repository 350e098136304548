package mxp

import (
	"context"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/buffers"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// EventBatch sends events one after the other as Event does each, and gives how many were sent:
// all of them, if there is no error. Small ones share frames, and take the connection's lock
// together; but where there are interceptors or a tracer, or each waits for its Ack, they are
// requests one by one. The values are the caller's again when EventBatch returns, except values of
// more than 4 KiB.
func (c *Client) EventBatch(ctx context.Context, service string, method uint16, values [][]byte, options ...Option) (n int, err error) {
	asked := Request{Service: service, Method: method, Kind: KindEvent}
	return c.events(ctx, &asked, options, len(values), func(i int, buffer []byte) ([]byte, error) {
		if buffer == nil {
			return values[i], nil
		}
		return append(buffer, values[i]...), nil
	})
}

// PublishBatch sends events, as Client.EventBatch does. It is called by generated clients.
func PublishBatch[Q any, PQ Message[Q]](ctx context.Context, c *Client, m *Method, requests []Q, options ...Option) (n int, err error) {
	asked := requestOf(m, KindEvent, nil)
	return c.events(ctx, asked, options, len(requests), func(i int, buffer []byte) ([]byte, error) {
		return PQ(&requests[i]).AppendBinary(buffer)
	})
}

// events sends so many events, of which encode appends each.
func (c *Client) events(ctx context.Context, r *Request, options []Option, count int, encode func(i int, buffer []byte) ([]byte, error)) (number int, err error) {
	r.options = chosen(r.options, options)
	r.Metadata = r.options.metadata
	alone := c.make != nil || c.telemetry != nil || r.options.ack
	records := buffers.Take(recordsRoom)
	defer func() { buffers.Give(records) }()
	for last := 0; number < count; {
		var n int
		var unmade error
		if alone || last > session.BatchedBytes {
			one := *r
			if one.Value, unmade = encode(number, nil); unmade == nil {
				n, last = 1, len(one.Value)
				if _, err = c.ask(ctx, &one, nil); err != nil {
					n = 0
				}
			}
		} else {
			records, n, last, unmade = gather(records[:0], count-number, func(i int, buffer []byte) ([]byte, error) { return encode(number+i, buffer) })
			if n > 0 {
				n, err = c.requestEvents(ctx, r, records)
			}
		}
		number += n
		switch {
		case err != nil:
			return number, err
		case unmade != nil:
			return number, engine.Located(notEncoded(unmade), r.target(), c.at)
		}
	}
	return number, nil
}

// requestEvents makes the requests of events whose values are records, and gives how many
// were made. Each is counted.
func (c *Client) requestEvents(ctx context.Context, r *Request, records []byte) (count int, err error) {
	waits, began := waitOf(ctx), time.Since(epoch)
	err = c.with(ctx, &repetition{of: r.target()}, func(conn *conn) error {
		n, err := conn.events(ctx, r, records)
		count += n
		records = session.CutRecords(records, n)
		return err
	})
	meter, took := c.common.meters.find(r, false), time.Since(epoch)-began
	meter.several(count, took)
	if err != nil {
		err = engine.Located(waits.Explained(err, time.Now()), r.target(), c.at)
		meter.begun.Add(1)
		meter.end(took, err)
	}
	return count, err
}

// events sends Events, and gives how many.
func (c *conn) events(ctx context.Context, request *Request, records []byte) (count int, err error) {
	do := func() error {
		r, err := c.request(ctx, request)
		if err != nil {
			return err
		}
		n, err := c.Engine.Session.Events(r, records, request.options.full, c.Now())
		count += n
		records = session.CutRecords(records, n)
		return c.Engine.Refused(err)
	}
	err = c.publish(ctx, engine.Small, request.options.full, do)
	return count, failed(err, false)
}
