package jetstream

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/serial-data-protocol/sdp/mesh/registry"
	"github.com/serial-data-protocol/sdp/mesh/registry/jetstream/record"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// errStale is that of a write to a key which is not as it was read.
var errStale = errors.New("the key was written by another")

// held is a name that a session of this node holds, or is about to.
type held struct {
	// busy has one while nobody asks the bucket about the name for the node.
	busy chan struct{}

	// Under the directory's lock.
	is       bool // held, and not only asked for
	entry    record.Entry
	revision uint64    // of what was written last
	until    time.Time // which was taken before the write
	written  time.Time
}

// hold takes a name for an operation on it; let ends that.
func (d *Directory) hold(ctx context.Context, name string) (*held, error) {
	for {
		h := d.named(name)
		select {
		case <-h.busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if d.named(name) == h {
			return h, nil
		}
		h.busy <- struct{}{} // it was let go of meanwhile
	}
}

// named is what there is of a name, and is made if nothing is.
func (d *Directory) named(name string) *held {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.held[name]
	if h == nil {
		h = &held{busy: make(chan struct{}, 1)}
		h.busy <- struct{}{}
		d.held[name] = h
	}
	return h
}

func (d *Directory) let(name string, h *held) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !h.is && d.held[name] == h {
		delete(d.held, name)
	}
	h.busy <- struct{}{}
}

// seconds is a lease as the stream takes it: it counts in whole ones.
func seconds(lease time.Duration) time.Duration {
	return time.Duration(math.Ceil(lease.Seconds())) * time.Second
}

// write writes an entry where the key was last written as the revision says, or never if it is 0.
func (d *Directory) write(ctx context.Context, entry *record.Entry, revision uint64) (uint64, error) {
	value, err := entry.AppendBinary(nil)
	if err != nil {
		return 0, err
	}
	return d.publish(ctx, agentKey(entry.Name), value, jetstream.WithExpectLastSequencePerSubject(revision),
		jetstream.WithMsgTTL(seconds(time.Duration(entry.Lease)*time.Microsecond)))
}

// publish writes a value, and gives its revision. Where that can't be known, the error is
// ErrMeshUnavailable.
func (d *Directory) publish(ctx context.Context, key string, value []byte, options ...jetstream.PublishOpt) (uint64, error) {
	return d.send(ctx, &nats.Msg{Subject: subjectPrefix + key, Data: value}, options...)
}

// send is publish for a message. While the bucket has no leader, it waits for one.
func (d *Directory) send(ctx context.Context, message *nats.Msg, options ...jetstream.PublishOpt) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	options = append(options, jetstream.WithRetryAttempts(0))
	for {
		ack, err := d.js.PublishMsg(ctx, message, options...)
		switch {
		case err == nil:
			return ack.Sequence, nil
		case isStale(err):
			return 0, errStale
		case !errors.Is(err, jetstream.ErrNoStreamResponse) && !errors.Is(err, nats.ErrNoResponders): // which nobody has written
			return 0, d.unavailable(err)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return 0, d.unavailable(err)
		}
	}
}

// unavailable is what is told where the bucket can't be reached.
func (d *Directory) unavailable(err error) error {
	d.options.Logger.Debug("the directory does not answer", "error", err)
	return session.ErrMeshUnavailable
}

func isStale(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// look reads what the bucket has for a name: the entry, or nil if nobody holds it, and the revision
// of what was written last, 0 if nothing was.
func (d *Directory) look(ctx context.Context, name string) (*record.Entry, uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	bucket, err := d.js.Stream(ctx, stream)
	if err != nil {
		return nil, 0, d.unavailable(err)
	}
	message, err := bucket.GetLastMsgForSubject(ctx, subjectPrefix+agentKey(name))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, 0, nil
	case err != nil:
		return nil, 0, d.unavailable(err)
	case isGone(message.Header):
		return nil, message.Sequence, nil
	}
	var entry record.Entry
	if err := entry.UnmarshalBinary(message.Data); err != nil {
		d.options.Logger.Error("the directory has an entry that can't be read", "name", name, "error", err)
		return nil, message.Sequence, nil
	}
	if entry.Epoch == 0 {
		entry.Epoch = message.Sequence
	}
	return &entry, message.Sequence, nil
}

// isGone says that a message ends a key.
func isGone(header nats.Header) bool {
	return header.Get("KV-Operation") != "" || header.Get(jetstream.MarkerReasonHeader) != ""
}

// erase ends a key if it is as the revision says.
func (d *Directory) erase(ctx context.Context, name string, revision uint64) error {
	message := &nats.Msg{Subject: subjectPrefix + agentKey(name), Header: nats.Header{}}
	message.Header.Set("KV-Operation", "PURGE")
	message.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	_, err := d.send(ctx, message, jetstream.WithExpectLastSequencePerSubject(revision), jetstream.WithMsgTTL(markerLasts))
	return err
}

// ours reports whether an entry was written for a session of this run.
func (d *Directory) ours(h *record.Holder) bool { return h.Node == d.options.Node && h.Run == d.run }

func leaseOf(entry *record.Entry) registry.Lease {
	return registry.Lease{Lasts: time.Duration(entry.Lease) * time.Microsecond, Epoch: entry.Epoch}
}
