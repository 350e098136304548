package mxp

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/internal/engine"
)

type key struct{}

func handler() *handlerContext {
	return &handlerContext{values: context.WithValue(context.Background(), key{}, "one")}
}

func TestHandlersContextEndsOnce(t *testing.T) {
	h := handler()
	if h.Err() != nil || h.Value(key{}) != "one" {
		t.Error("it has ended, or lacks a value")
	}
	if _, has := h.Deadline(); has {
		t.Error("it has a deadline")
	}
	done := h.Done()
	select {
	case <-done:
		t.Error("it is done")
	default:
	}
	h.End(engine.TooLate)
	h.End(engine.Cancelled)
	<-done
	if !errors.Is(h.Err(), context.DeadlineExceeded) {
		t.Errorf("it ended with %v", h.Err())
	}
	late := handler()
	late.End(engine.Cancelled)
	<-late.Done()
}

func TestContextsOfHandlersContextEndWithIt(t *testing.T) {
	h := handler()
	child, cancel := context.WithTimeout(h, time.Hour)
	defer cancel()
	other, leave := context.WithCancel(h)
	leave()
	called := make(chan struct{})
	context.AfterFunc(h, func() { close(called) })
	stop := context.AfterFunc(h, func() { t.Error("it was stopped") })
	if !stop() || stop() {
		t.Error("what waits is stopped once")
	}
	if child.Err() != nil || other.Err() == nil {
		t.Errorf("they are at %v and %v", child.Err(), other.Err())
	}
	h.End(engine.TooLate)
	<-child.Done()
	<-called
	if !errors.Is(child.Err(), context.DeadlineExceeded) || child.Value(key{}) != "one" {
		t.Errorf("the child ended with %v", child.Err())
	}
	now := make(chan struct{})
	if context.AfterFunc(h, func() { close(now) })() {
		t.Error("what has run can be stopped")
	}
	<-now
}
