package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

func call(ctx context.Context, client *mxp.Client, args []string) error {
	method, err := strconv.ParseUint(args[0], 10, 16)
	if err != nil || len(args) < 2 {
		return errors.New("call takes the number of a method, and a text")
	}
	reply, err := client.Call(ctx, service, uint16(method), []byte(args[1]))
	if err != nil {
		return err
	}
	fmt.Println(string(reply.Value))
	return nil
}

// stream sends words, and prints what comes back for each.
func stream(ctx context.Context, client *mxp.Client, words []string) error {
	s, err := client.Open(ctx, service, upper, nil)
	if err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() {
		for _, word := range words {
			if err := s.Send(ctx, []byte(word)); err != nil {
				sent <- err
				return
			}
		}
		sent <- s.CloseSend()
	}()
	for {
		value, err := s.Recv(ctx)
		if errors.Is(err, io.EOF) {
			return <-sent
		}
		if err != nil {
			return err
		}
		fmt.Println(string(value))
	}
}

// event sends an event, and asks how many there were.
func event(ctx context.Context, client *mxp.Client, text string) error {
	if err := client.Event(ctx, service, tick, []byte(text), mxp.WithAck()); err != nil {
		return err
	}
	reply, err := client.Call(ctx, service, count, nil)
	if err != nil {
		return err
	}
	if len(reply.Value) != 8 {
		return fmt.Errorf("a count of %d bytes", len(reply.Value))
	}
	fmt.Println(binary.LittleEndian.Uint64(reply.Value))
	return nil
}
