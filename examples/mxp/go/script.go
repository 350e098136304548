package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// scripts runs the lines of an input, all at once. A line is a number, an address, and the actions
// of one client there, in turn, with " ; " between:
//
//	call METHOD VALUE MS            a call whose deadline is MS
//	calls COUNT METHOD VALUE MS     so many at once
//	cancel METHOD VALUE MS          a call that is given up after MS
//	stream MS VALUE...              sends values, and reads to the end
//	read MS COUNT PAUSE_MS          reads COUNT chunks of a stream after a pause, and lets go of it
//	event VALUE MS                  an event that is acknowledged
//	post VALUE                      one that is not
//	wait MS
//
// x*500 is a value of 500 bytes. Each result is a line: the number, and "answered", "chunk",
// "ended", "acked" or "sent" with the length of a value and its first bytes, or "failed" with a
// name, whether the server may have acted, and a text; "closed" is the last.
func scripts(ctx context.Context, from io.Reader, config mxp.ClientOptions) error {
	var all sync.WaitGroup
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		number, rest, _ := strings.Cut(lines.Text(), " ")
		address, actions, _ := strings.Cut(rest, " ")
		all.Add(1)
		go func() {
			defer all.Done()
			s := &script{number: number}
			defer s.say("closed")
			client, err := mxp.Dial(address, config)
			if err != nil {
				s.failed(err)
				return
			}
			defer client.Close()
			s.client = client
			for action := range strings.SplitSeq(actions, " ; ") {
				s.act(ctx, strings.Fields(action))
			}
		}()
	}
	all.Wait()
	return lines.Err()
}

// script is the work of one client.
type script struct {
	number string
	client *mxp.Client
}

var output sync.Mutex

func (s *script) say(words ...string) {
	output.Lock()
	defer output.Unlock()
	fmt.Fprintln(os.Stdout, s.number, strings.Join(words, " "))
}

func (s *script) value(kind string, value []byte) {
	s.say(kind, fmt.Sprintf("%d:%s", len(value), value[:min(len(value), 40)]))
}

func (s *script) failed(err error) {
	var f *mxp.Failure
	switch {
	case !errors.As(err, &f):
		s.say("failed", "-", "acted", err.Error())
	case f.Acted:
		s.say("failed", f.Name, "acted", f.Text)
	default:
		s.say("failed", f.Name, "refused", f.Text)
	}
}

// act does one thing; words that are missing or no numbers are a fault of the script's.
func (s *script) act(ctx context.Context, words []string) {
	defer func() {
		if recover() != nil {
			s.say("failed", "script", "refused", strings.Join(words, " "))
		}
	}()
	switch words[0] {
	case "call":
		s.call(ctx, words[1:])
	case "calls":
		var all sync.WaitGroup
		for range number(words[1]) {
			all.Add(1)
			go func() { defer all.Done(); s.call(ctx, words[2:]) }()
		}
		all.Wait()
	case "cancel":
		within, cancel := context.WithCancel(ctx)
		time.AfterFunc(milliseconds(words[3]), cancel)
		s.call(within, []string{words[1], words[2], "60000"})
		cancel()
	case "stream":
		s.stream(ctx, milliseconds(words[1]), words[2:])
	case "read":
		s.read(ctx, milliseconds(words[1]), number(words[2]), milliseconds(words[3]))
	case "event":
		within, cancel := context.WithTimeout(ctx, milliseconds(words[2]))
		defer cancel()
		if err := s.client.Event(within, service, tick, valueOf(words[1]), mxp.WithAck()); err != nil {
			s.failed(err)
			return
		}
		s.say("acked")
	case "post":
		if err := s.client.Event(ctx, service, tick, valueOf(words[1])); err != nil {
			s.failed(err)
			return
		}
		s.say("sent")
	case "wait":
		time.Sleep(milliseconds(words[1]))
	default:
		panic(words[0])
	}
}

func (s *script) call(ctx context.Context, words []string) {
	within, cancel := context.WithTimeout(ctx, milliseconds(words[2]))
	defer cancel()
	reply, err := s.client.Call(within, service, uint16(number(words[0])), valueOf(words[1]))
	if err != nil {
		s.failed(err)
		return
	}
	s.value("answered", reply.Value)
}

func (s *script) stream(ctx context.Context, most time.Duration, values []string) {
	within, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	opened, err := s.client.Open(within, service, upper, nil)
	if err != nil {
		s.failed(err)
		return
	}
	unsent := make(chan error, 1)
	go func() {
		defer close(unsent)
		for _, value := range values {
			if err := opened.Send(within, valueOf(value)); err != nil {
				unsent <- err
				cancel()
				return
			}
		}
		opened.CloseSend()
	}()
	for {
		value, err := opened.Recv(within)
		if errors.Is(err, io.EOF) {
			s.say("ended")
			return
		}
		if err != nil {
			if first := <-unsent; first != nil {
				err = first
			}
			s.failed(err)
			return
		}
		s.value("chunk", value)
	}
}

func (s *script) read(ctx context.Context, most time.Duration, count int, pause time.Duration) {
	within, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	opened, err := s.client.Open(within, service, upper, nil)
	time.Sleep(pause)
	for ; err == nil && count > 0; count-- {
		var value []byte
		if value, err = opened.Recv(within); err == nil {
			s.value("chunk", value)
		}
	}
	if err != nil {
		s.failed(err)
		return
	}
	s.say("ended")
}

func valueOf(text string) []byte {
	if unit, count, found := strings.Cut(text, "*"); found {
		return []byte(strings.Repeat(unit, number(count)))
	}
	return []byte(text)
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		panic(text)
	}
	return n
}

func milliseconds(text string) time.Duration { return time.Duration(number(text)) * time.Millisecond }
