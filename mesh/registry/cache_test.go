package registry_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/serial-data-protocol/sdp/mesh/registry"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// made is an agent that can one or two of three things.
func made(random *rand.Rand, revision uint64) *registry.Agent {
	kinds := []string{"x", "y", "z"}
	return &registry.Agent{
		Name: fmt.Sprintf("a%d", random.IntN(20)), Capabilities: kinds[:random.IntN(3)], Services: kinds[random.IntN(3):],
		Epoch: revision, Revision: revision, Until: time.Now().Add(time.Hour),
	}
}

// A cache answers as a list does that is gone through.
func TestACacheFindsWhatAListHas(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	cache := registry.NewCache()
	has := map[string]*registry.Agent{}
	for revision := uint64(1); revision < 3000; revision++ {
		a := made(random, revision)
		switch random.IntN(4) {
		case 0:
			if (cache.Remove(a.Name, revision) != nil) != (has[a.Name] != nil) {
				t.Fatal("it removes what is not there, or keeps what is")
			}
			delete(has, a.Name)
		case 1: // what was written before is not put over what was written later
			if old := has[a.Name]; old != nil {
				a.Revision = old.Revision - 1
				cache.Put(a)
				cache.Remove(a.Name, a.Revision)
			}
		case 2: // a heartbeat
			if old := has[a.Name]; old != nil {
				beat := *old
				beat.Revision = revision
				cache.Put(&beat)
				has[a.Name] = &beat
			}
		default:
			cache.Put(a)
			has[a.Name] = a
		}
		f := registry.Filter{Name: []string{"", a.Name}[random.IntN(2)], Capability: []string{"", "x", "y"}[random.IntN(3)], Service: []string{"", "z"}[random.IntN(2)]}
		var want []*registry.Agent
		for _, one := range has {
			if f.Matches(one) {
				want = append(want, one)
			}
		}
		slices.SortFunc(want, func(a, b *registry.Agent) int { return strings.Compare(a.Name, b.Name) })
		if found := cache.Find(f); !slices.Equal(found, want) {
			t.Fatalf("%+v finds %d agents, and not %d", f, len(found), len(want))
		}
	}
	if cache.Len() != len(has) {
		t.Errorf("it has %d agents, and not %d", cache.Len(), len(has))
	}
}

// [MESH-2.5, MESH-2.6]
func TestALeaseEndsOnlyWhereItsHeartbeatWouldHaveBeenSeen(t *testing.T) {
	cache := registry.NewCache()
	if _, ok := cache.Age(); ok {
		t.Error("a new one knows something")
	}
	now := time.Now()
	cache.Put(&registry.Agent{Name: "a", Revision: 1, Until: now.Add(-time.Minute)})
	cache.Know(now.Add(-time.Hour)) // it is cut off since
	if cache.Get("a") == nil {
		t.Error("a lease ended of which heartbeats may be missing")
	}
	w := cache.Watch(registry.Filter{Name: "a"})
	defer w.Stop()
	cache.Know(now)
	if cache.Get("a") != nil {
		t.Error("a lease is there after its time")
	}
	select {
	case <-w.Changed():
	default:
		t.Error("nobody was told")
	}
	if age, ok := cache.Age(); !ok || age > time.Minute {
		t.Errorf("its age is %v, %v", age, ok)
	}
}

// [MESH-2.1]
func TestNamesHavePartsOfLettersAndDigits(t *testing.T) {
	for _, name := range []string{"a", "A-1_b", "a.b.c", "0", strings.Repeat("x", 128)} {
		if !registry.ValidName(name) {
			t.Errorf("%q is none", name)
		}
	}
	for _, name := range []string{"", ".", "a.", ".a", "a..b", "*", ">", "a b", "a\x00", "ä", "a/b", "a=b", "@", "[", "`", "{", strings.Repeat("x", 129)} {
		if registry.ValidName(name) {
			t.Errorf("%q is one", name)
		}
	}
	r := registry.Registration{Name: "a", Services: []string{"x.Y", "x.Y"}}
	if err := r.Check(); !errors.Is(err, session.ErrAgentInvalid) {
		t.Errorf("a service twice: %v", err)
	}
}
