package mxp_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

func TestReadyTellsOfTheFirstAttemptThatFails(t *testing.T) {
	client, err := mxp.Dial("mxp+unix://"+filepath.Join(t.TempDir(), "none.sock"), mxp.ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := client.Ready(ctx); err == nil || !strings.Contains(err.Error(), "none.sock") {
		t.Errorf("the error is %v", err)
	}
}

func TestReadyWaitsForHello(t *testing.T) {
	r := start(t, "unix", mxp.ServerOptions{})
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
	r := start(t, "unix", mxp.ServerOptions{Types: []session.Type{theirs}})
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
