package node_test

import (
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/authority"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// A revoked certificate ends its present connection, and takes its registrations with it; the others'
// stay. [MESH-6.2]
func TestARevokedCertificateEndsItsConnection(t *testing.T) {
	d := founded(t)
	n := d.node(t)
	lost, kept := d.client(t, d.issue(t, authority.Request{Name: "lost"})), d.client(t, d.issue(t, authority.Request{Name: "kept"}))
	if _, err := lost.RegisterBy(soon(t), &session.Registration{Name: "lost", Lease: 3_600_000_000}); err != nil {
		t.Fatal(err)
	}
	first, err := kept.RegisterBy(soon(t), &session.Registration{Name: "kept", Lease: 3_600_000_000})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Revoke("lost"); err != nil {
		t.Fatal(err)
	}
	revoked := time.Now()
	asker := dial(t, n)
	until(t, "its name is free", func() bool {
		found, err := asker.DiscoverBy(soon(t), &session.Query{Name: "lost"})
		return err == nil && len(found.Agents) == 0
	})
	if took := time.Since(revoked); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	ctx, cancel := contextOf(time.Second)
	defer cancel()
	if found, err := lost.Discover(ctx, ""); err == nil {
		t.Errorf("it still finds %v", found)
	}
	if beat, err := kept.HeartbeatOf(soon(t), "kept"); err != nil || beat.Epoch != first.Epoch {
		t.Errorf("the other, whose epoch was %d, has %+v, %v", first.Epoch, beat, err)
	}
}
