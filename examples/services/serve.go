package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/examples/services/mixer"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// desk is a mixing desk. Its methods are called by several goroutines.
type desk struct {
	mu    sync.Mutex
	gains [8]float32
}

// serve serves a desk until the context ends.
func serve(ctx context.Context, address string) error {
	services := mxp.NewServices()
	services.Intercept(guard)
	mixer.RegisterMixer(services, &desk{})
	err := mxp.NewServer(mxp.ServerOptions{Services: services}).ListenAndServe(ctx, address)
	if errors.Is(err, mxp.ErrServerClosed) {
		return nil
	}
	return err
}

// guard lets nobody in who doesn't say who it is.
func guard(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
	if _, said := r.Get("user"); said {
		return next(ctx, r)
	}
	return mxp.Reply{}, mxp.Refuse(mxp.Failure{Status: session.StatusUnauthenticated, Name: "who_are_you"})
}

// channel gives the gain of a channel, to be used under the lock.
func (d *desk) channel(number uint32) (*float32, error) {
	if int(number) >= len(d.gains) {
		return nil, mxp.Refuse(mxp.Failure{Status: session.StatusNotFound, Name: "no_such_channel"})
	}
	return &d.gains[number], nil
}

func (d *desk) Gain(_ context.Context, asked *mixer.Gain) (*mixer.Gain, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	gain, err := d.channel(asked.Channel)
	if err != nil {
		return nil, err
	}
	return &mixer.Gain{Channel: asked.Channel, Decibels: *gain}, nil
}

func (d *desk) List(ctx context.Context, channels *mixer.Range, gains *mxp.Sender[mixer.Gain]) error {
	for number := channels.First; number <= channels.Last; number++ {
		gain, err := d.Gain(ctx, &mixer.Gain{Channel: number})
		if err != nil {
			return err
		}
		if err := gains.Send(gain); err != nil {
			return err
		}
	}
	return nil
}

func (d *desk) set(to *mixer.Gain) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	gain, err := d.channel(to.Channel)
	if err == nil {
		*gain = to.Decibels
	}
	return err
}

func (d *desk) Fade(_ context.Context, steps *mxp.Receiver[mixer.Gain]) (*mixer.Gain, error) {
	last := &mixer.Gain{}
	for step, err := range steps.All() {
		if err != nil {
			return nil, err
		}
		if err := d.set(step); err != nil {
			return nil, err
		}
		last = step
	}
	return last, nil
}

func (d *desk) Ride(_ context.Context, asked *mxp.Receiver[mixer.Gain], told *mxp.Sender[mixer.Gain]) error {
	for gain, err := range asked.All() {
		if err != nil {
			return err
		}
		if err := d.set(gain); err != nil {
			return err
		}
		if err := told.Send(gain); err != nil {
			return err
		}
	}
	return nil
}

func (d *desk) Muted(_ context.Context, muted *mixer.Gain) error {
	time.Sleep(10 * time.Millisecond) // whoever wants to know when it was taken waits
	return d.set(&mixer.Gain{Channel: muted.Channel, Decibels: -96})
}
