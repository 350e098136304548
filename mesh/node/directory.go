package node

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/serial-data-protocol/sdp/mesh/registry"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// heldTime is how long a Query waits for another answer than it knows [MESH-2.8].
const heldTime = 25 * time.Second

// directory answers agent requests of programs: it is the mxp.Directory of a node.
type directory struct{ node *Node }

var _ mxp.Directory = directory{}

func holderOf(owner mxp.Owner) registry.Holder {
	return registry.Holder{Session: owner.Number, Identity: identityOf(owner.Peer)}
}

// refusalOf is the error that a program gets for an error.
func refusalOf(err error) error {
	var kind session.Kind
	if err == nil || !errors.As(err, &kind) {
		return err
	}
	f := &mxp.Failure{Status: session.Status(kind.Status()), Name: kind.String(), Text: strings.TrimPrefix(err.Error(), kind.String()+": ")}
	if f.Text == f.Name {
		f.Text = ""
	}
	return f
}

// Register gives a program a name.
func (d directory) Register(ctx context.Context, owner mxp.Owner, r *session.Registration) (session.Lease, error) {
	begun := time.Now()
	by := holderOf(owner)
	wanted := &registry.Registration{
		Name: r.Name, Capabilities: r.Capabilities, Addresses: r.Addresses, Services: r.Services,
		Lease: time.Duration(min(r.Lease, 1<<50)) * time.Microsecond, Epoch: r.Epoch,
	}
	err := wanted.Check()
	if err == nil {
		err = d.node.policy.Register(by.Identity, r.Name)
	}
	var lease registry.Lease
	if err == nil {
		lease, err = d.node.registry.Register(ctx, by, wanted)
	}
	d.node.meters.asked("register", begun, err)
	return told(lease), refusalOf(err)
}

// Heartbeat lets a lease last anew.
func (d directory) Heartbeat(ctx context.Context, owner mxp.Owner, name string) (session.Lease, error) {
	begun := time.Now()
	lease, err := d.node.registry.Heartbeat(ctx, holderOf(owner), name)
	d.node.meters.asked("heartbeat", begun, err)
	return told(lease), refusalOf(err)
}

func told(lease registry.Lease) session.Lease {
	return session.Lease{Lease: uint64(lease.Lasts.Microseconds()), Epoch: lease.Epoch}
}

// Release ends the leases of a connection that is gone.
func (d directory) Release(owner mxp.Owner) {
	d.node.registry.Release(owner.Number)
}

// Discover answers from what this node knows, and waits where that is known already.
func (d directory) Discover(ctx context.Context, owner mxp.Owner, q *session.Query) (*session.Listing, error) {
	begun := time.Now()
	filter := registry.Filter{Name: q.Name, Capability: q.Capability, Service: q.Service}
	local := owner.Peer.Process != nil
	if q.Version == 0 {
		listing, err := d.listing(filter, local)
		d.node.meters.asked("discover", begun, err)
		return listing, refusalOf(err)
	}
	waiter := d.node.registry.Cache().Watch(filter)
	defer waiter.Stop()
	late := time.NewTimer(heldTime)
	defer late.Stop()
	for {
		listing, err := d.listing(filter, local)
		if err != nil || listing.Version != q.Version {
			return listing, refusalOf(err)
		}
		select {
		case <-waiter.Changed():
		case <-late.C:
			return listing, nil
		case <-ctx.Done(): // a drain, perhaps: the answer is right
			return listing, nil
		}
	}
}

// listing is the answer for programs of this machine, or others.
func (d directory) listing(filter registry.Filter, local bool) (*session.Listing, error) {
	cache := d.node.registry.Cache()
	age, ok := cache.Age()
	if !ok { // there is nothing that it could answer
		return nil, session.ErrMeshUnavailable
	}
	found := cache.Find(filter)
	listing := &session.Listing{Agents: make([]session.Agent, len(found)), Age: uint64(age.Microseconds())}
	now := time.Now()
	var hash xxh3.Hasher
	for i, a := range found {
		addresses := d.reachable(a, local)
		listing.Agents[i] = session.Agent{
			Name: a.Name, Capabilities: a.Capabilities, Services: a.Services, Addresses: addresses, Epoch: a.Epoch,
			Lease: uint64(max(a.Until.Sub(now), 0).Microseconds()),
		}
		note(&hash, a.Epoch, []string{a.Name}, a.Capabilities, a.Services, addresses)
	}
	if listing.Version = hash.Sum64(); listing.Version == 0 {
		listing.Version = 1 // 0 is none
	}
	return listing, nil
}

// note adds numbers and lists of texts to a hash, so that others have another one.
func note(hash *xxh3.Hasher, epoch uint64, lists ...[]string) {
	var number [8]byte
	put := func(n uint64) {
		for i := range number {
			number[i] = byte(n >> (8 * i))
		}
		hash.Write(number[:])
	}
	put(epoch)
	for _, list := range lists {
		put(uint64(len(list)))
		for _, text := range list {
			put(uint64(len(text)))
			hash.WriteString(text)
		}
	}
}

// reachable are the addresses of an agent that a program can reach [MESH-2.7].
func (d directory) reachable(a *registry.Agent, local bool) []string {
	if local && a.Node == d.node.config.Name {
		return a.Addresses
	}
	var reached []string
	for _, address := range a.Addresses {
		if namesHost(address) {
			reached = append(reached, address)
		}
	}
	if len(reached) == 0 && local {
		if relay := d.node.relayTo(a); relay != "" {
			reached = []string{relay}
		}
	}
	return reached
}

// namesHost reports whether an address is one of a machine, as others name it.
func namesHost(address string) bool {
	_, place, _ := strings.Cut(address, "://")
	host, _, err := net.SplitHostPort(place)
	if err != nil || host == "" || host == "localhost" || strings.ContainsAny(host, "/%") {
		return false
	}
	ip := net.ParseIP(host)
	return ip == nil || !ip.IsLoopback() && !ip.IsUnspecified() && !ip.IsLinkLocalUnicast()
}
