package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/serial-data-protocol/sdp/examples/services/mixer"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// call asks a desk for everything.
func call(ctx context.Context, address string) error {
	connection, err := mxp.Dial(address, mxp.ClientOptions{
		Types:        mixer.MixerTypes(), // a schema that differs is found before the first call
		Interceptors: []mxp.Interceptor{introduce},
	})
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second) // the server knows the deadline too
	defer cancel()
	desk := mixer.NewMixerClient(connection)
	for _, one := range []func(context.Context, *mixer.MixerClient) error{fade, ride, mute, list, fail} {
		if err := one(ctx, desk); err != nil {
			return err
		}
	}
	return nil
}

// introduce says with every request who makes it.
func introduce(ctx context.Context, r *mxp.Request, next mxp.Handler) (mxp.Reply, error) {
	r.Metadata = append(r.Metadata, mxp.Metadatum{Key: "user", Value: []byte("example")})
	return next(ctx, r)
}

func fade(ctx context.Context, desk *mixer.MixerClient) error {
	steps, err := desk.Fade(ctx)
	if err != nil {
		return err
	}
	for step := range 4 {
		if err := steps.Send(&mixer.Gain{Channel: 1, Decibels: float32(-3 * step)}); err != nil {
			break // CloseAndRecv says why
		}
	}
	last, err := steps.CloseAndRecv()
	if err != nil {
		return err
	}
	fmt.Println("faded to", last.Decibels)
	return nil
}

func ride(ctx context.Context, desk *mixer.MixerClient) error {
	talk, err := desk.Ride(ctx)
	if err != nil {
		return err
	}
	defer talk.Close()
	for _, decibels := range []float32{-6, -3, 0} {
		if err := talk.Send(&mixer.Gain{Channel: 2, Decibels: decibels}); err != nil {
			return err
		}
		gain, err := talk.Recv()
		if err != nil {
			return err
		}
		fmt.Println("channel 2 is at", gain.Decibels)
	}
	return talk.CloseSend()
}

func mute(ctx context.Context, desk *mixer.MixerClient) error {
	return desk.Muted(ctx, &mixer.Gain{Channel: 3}, mxp.WithAck()) // returns when it was taken
}

func list(ctx context.Context, desk *mixer.MixerClient) error {
	gains, err := desk.List(ctx, &mixer.Range{First: 0, Last: 7})
	if err != nil {
		return err
	}
	for gain, err := range gains.All() {
		if err != nil {
			return err
		}
		fmt.Println("channel", gain.Channel, "has", gain.Decibels)
		if gain.Channel == 3 {
			break // ends the stream
		}
	}
	return nil
}

func fail(ctx context.Context, desk *mixer.MixerClient) error {
	_, err := desk.Gain(ctx, &mixer.Gain{Channel: 99})
	var failure *mxp.Failure
	if !errors.As(err, &failure) {
		return fmt.Errorf("channel 99: %w", err)
	}
	fmt.Printf("channel 99: %s, status %d, may have acted: %t\n", failure.Name, failure.Status, failure.Acted)
	return nil
}
