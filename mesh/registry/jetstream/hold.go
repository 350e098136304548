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

// holder is a name that a session of this node holds, or is about to.
type holder struct {
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
func (d *Directory) hold(ctx context.Context, name string) (*holder, error) {
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
func (d *Directory) named(name string) *holder {
	d.mu.Lock()
	defer d.mu.Unlock()
	h := d.held[name]
	if h == nil {
		h = &holder{busy: make(chan struct{}, 1)}
		h.busy <- struct{}{}
		d.held[name] = h
	}
	return h
}

func (d *Directory) let(name string, h *holder) {
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

// send is publish for a message. While the bucket has no leader, or a silent one, it waits for
// another: a stopped leader answers nothing, and nobody knows whether it wrote its messages. So what
// is sent more than once has to say what it follows.
func (d *Directory) send(ctx context.Context, message *nats.Msg, options ...jetstream.PublishOpt) (revision uint64, err error) {
	options = append(options, jetstream.WithRetryAttempts(0))
	err = d.attempt(ctx, func(ctx context.Context) error {
		ack, err := d.js.PublishMsg(ctx, message, options...)
		if err == nil {
			revision = ack.Sequence
		}
		return err
	})
	return revision, err
}

// attempt asks the bucket's leader, again and again until it answers or the time of a write is over.
func (d *Directory) attempt(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	for {
		once, end := context.WithTimeout(ctx, askTime)
		err := ask(once)
		end()
		switch {
		case err == nil:
			return nil
		case isStale(err):
			return errStale
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return err
		case !mayAnswer(err):
			return d.unavailable(err)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return d.unavailable(err)
		}
	}
}

// mayAnswer reports whether another leader may answer what none, or a silent one, has not.
func mayAnswer(err error) bool {
	for _, silent := range []error{jetstream.ErrNoStreamResponse, nats.ErrNoResponders, context.DeadlineExceeded, nats.ErrTimeout} {
		if errors.Is(err, silent) {
			return true
		}
	}
	return false
}

// unavailable is the error where the bucket can't be reached.
func (d *Directory) unavailable(err error) error {
	d.options.Logger.Debug("the directory does not answer", "error", err)
	return session.ErrMeshUnavailable
}

func isStale(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// look reads the bucket's state of a name: the entry, or nil if nobody holds it, and the revision of
// the last write, 0 if there was none.
func (d *Directory) look(ctx context.Context, name string) (*record.Entry, uint64, error) {
	var message *jetstream.RawStreamMsg
	err := d.attempt(ctx, func(ctx context.Context) error {
		bucket, err := d.js.Stream(ctx, stream)
		if err == nil {
			message, err = bucket.GetLastMsgForSubject(ctx, subjectPrefix+agentKey(name))
		}
		return err
	})
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
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
