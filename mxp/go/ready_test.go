package mxp_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/places"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

func TestReadyTellsOfTheFirstAttemptThatFails(t *testing.T) {
	client, err := mxp.Dial(places.Free(t), mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := client.Ready(ctx); err == nil || !strings.Contains(err.Error(), places.Absent) {
		t.Errorf("the error is %v", err)
	}
}

func TestReadyWaitsForHello(t *testing.T) {
	r := start(t, places.Plain, mxp.ServerOptions{})
	client, err := mxp.Dial(r.at, mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if err := client.Ready(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestWhoWaitsForAConnectionLearnsOfSchemasThatDiffer asks a peer that accepts
// each connection, and whose types are others.
func TestWhoWaitsForAConnectionLearnsOfSchemasThatDiffer(t *testing.T) {
	theirs := session.Type{Name: "demo.A", Fingerprints: []uint64{1}, Layout: "0 struct demo.A\n x u8\n"}
	mine := session.Type{Name: "demo.A", Fingerprints: []uint64{2}, Layout: "0 struct demo.A\n x u16\n"}
	r := start(t, places.Plain, mxp.ServerOptions{Types: []session.Type{theirs}})
	client, err := mxp.Dial(r.at, mxp.ClientOptions{Types: []session.Type{mine}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := client.Ready(ctx); !errors.Is(err, session.ErrSchema) || !strings.Contains(err.Error(), "demo.A.x: here u16") {
		t.Errorf("the error is %v", err)
	}
	if _, err = client.Call(ctx, "demo.Echo", 1, nil); !errors.Is(err, session.ErrSchema) || !strings.Contains(err.Error(), "demo.A.x: here u16") {
		t.Errorf("the error is %v", err)
	}
}

// TestRefusedMethodsAreOneLineOfTheLog lets two sides meet that mean another type by the
// requests of two methods, and can't compare another: each says so once, and other methods work
// [MXP-6.5, MXP-6.8].
func TestRefusedMethodsAreOneLineOfTheLog(t *testing.T) {
	of := func(fingerprint uint64, field string) []session.Type {
		methods := []session.Method{{Service: "demo.Echo", Name: "echo", Number: 1}, {Service: "demo.Echo", Name: "wait", Number: 3}}
		return []session.Type{
			{Name: "demo.A", Fingerprints: []uint64{fingerprint}, Layout: "0 struct demo.A\n x " + field + "\n", Requests: methods},
			{Name: "demo.B", Fingerprints: []uint64{1}, Requests: methods}, // as a release before 0.4 has it
		}
	}
	var here, there lines
	logger := func(l *lines) *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
	r := start(t, places.Plain, mxp.ServerOptions{Types: of(1, "u8"), Logger: logger(&there)})
	client, err := mxp.Dial(r.at, mxp.ClientOptions{Types: of(2, "u16"), Logger: logger(&here)})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if _, err := client.Call(t.Context(), "demo.Echo", 1, nil); !errors.Is(err, session.ErrSchema) {
		t.Errorf("the error is %v", err)
	}
	if _, err := client.Call(t.Context(), "demo.Echo", 2, nil); err == nil || !strings.Contains(err.Error(), "demo_refused") {
		t.Errorf("the error is %v", err)
	}
	for side, want := range map[*lines]string{&here: "here u16, there u8", &there: "here u8, there u16"} {
		if side.count("mxp: methods refused") != 1 || side.count(`count=2 first=demo.Echo/echo difference="demo.A.x: `+want+`"`) != 1 {
			t.Errorf("%s is not said once: %s", want, side.text.String())
		}
		if side.count("mxp: types compared by fingerprints alone") != 1 || side.count("count=1 first=demo.B") != 1 {
			t.Errorf("%s: the type without a hash is not said once: %s", want, side.text.String())
		}
	}
}
