package main

import (
	"context"
	"errors"
	"log"
	"sync/atomic"
	"time"

	"github.com/serial-data-protocol/sdp/examples/mesh/rack"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/events"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// effect makes blocks half as loud.
type effect struct {
	rack.UnimplementedEffect
	name   string
	blocks atomic.Uint64
}

func (e *effect) Process(_ context.Context, b *rack.Block) (*rack.Block, error) {
	for i := range b.Samples {
		b.Samples[i] /= 2
	}
	b.Effect = e.name
	e.blocks.Add(1)
	return b, nil
}

// tell publishes twice a second how many blocks were processed, until the context ends.
func (e *effect) tell(ctx context.Context, meter *rack.MeterClient) {
	for range ticks(ctx, time.Second/2) {
		if err := meter.Worked(ctx, &rack.Work{Effect: e.name, Blocks: e.blocks.Load()}); err != nil {
			log.Print(err)
		}
	}
}

// plugin serves an effect at an address, and announces it, until the context ends.
func plugin(ctx context.Context, name, address string) error {
	services := mxp.NewServices()
	serves := &effect{name: name}
	rack.RegisterEffect(services, serves)
	announced, err := mxp.Announce(session.Registration{
		Name: name, Capabilities: []string{"effect"}, Services: []string{rack.EffectName}, Addresses: []string{address},
	}, mxp.AnnounceOptions{})
	if err != nil {
		return err
	}
	defer announced.Close()
	publisher, err := events.Publisher(mxp.ClientOptions{Types: rack.MeterTypes()})
	if err != nil {
		return err
	}
	defer publisher.Close()
	go serves.tell(ctx, rack.NewMeterClient(publisher))
	err = mxp.NewServer(mxp.ServerOptions{Services: services}).ListenAndServe(ctx, address)
	if errors.Is(err, mxp.ErrServerClosed) {
		return nil
	}
	return err
}
