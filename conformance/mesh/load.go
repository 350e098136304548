package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/examples/mesh/rack"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

const (
	namedPause, namedDeadline = 100 * time.Millisecond, 5 * time.Second
	anyPause, anyDeadline     = 10 * time.Millisecond, 30 * time.Second
	anyCallers                = 2 // of each node
	// settling is the time from when all nodes know an agent again until clients must reach it.
	settling = 3 * time.Second
)

// counts are calls of one kind. Excused are failures of calls by the name of an agent that was gone,
// or behind a node that was.
type counts struct {
	Calls   int            `json:"calls"`
	Failed  map[string]int `json:"failed,omitempty"` // by status and name
	Excused map[string]int `json:"excused,omitempty"`
	Slowest float64        `json:"slowest_seconds"`
}

// load are callers at each node.
type load struct {
	mesh    *mesh
	cancel  context.CancelFunc
	running sync.WaitGroup
	clients []*mxp.Client

	mu    sync.Mutex
	named counts
	any   counts
	gone  map[string]time.Time // of agents and nodes: until when
	odd   []string             // answers that are none
}

// forever is the time until when something is gone that has not come back.
var forever = time.Unix(1<<40, 0)

func beginLoad(m *mesh) (*load, error) {
	ctx, cancel := context.WithCancel(m.ctx)
	l := &load{mesh: m, cancel: cancel, gone: map[string]time.Time{}}
	l.take()
	for i := range nodes {
		client, err := l.dial(i, "mesh:///?capability=effect")
		if err != nil {
			return nil, err
		}
		for range anyCallers {
			l.call(ctx, client, anyPause, anyDeadline, func(begun time.Time, answer *rack.Block, err error) { l.note(&l.any, begun, err, false) })
		}
		for _, a := range m.agents {
			client, err := l.dial(i, "mesh:///"+a.name)
			if err != nil {
				return nil, err
			}
			names := []string{a.name, nodeName(a.machine)}
			if i != a.machine {
				names = append(names, nodeName(i))
			}
			l.call(ctx, client, namedPause, namedDeadline, func(begun time.Time, answer *rack.Block, err error) {
				if err == nil && answer.Effect != a.name {
					l.mu.Lock()
					l.odd = append(l.odd, fmt.Sprintf("%s answers for %s", answer.Effect, a.name))
					l.mu.Unlock()
				}
				l.note(&l.named, begun, err, l.excused(begun, names))
			})
		}
	}
	return l, nil
}

func (l *load) dial(node int, to string) (*mxp.Client, error) {
	client, err := mxp.Dial(to, mxp.ClientOptions{
		Node: l.mesh.address(node), Types: rack.EffectTypes(), Retry: &mxp.RetryPolicy{Attempts: 8, Budget: 1},
	})
	if err == nil {
		l.clients = append(l.clients, client)
	}
	return client, err
}

func (l *load) call(ctx context.Context, client *mxp.Client, pause, deadline time.Duration, note func(time.Time, *rack.Block, error)) {
	stub := rack.NewEffectClient(client)
	l.running.Add(1)
	go func() {
		defer l.running.Done()
		for ctx.Err() == nil {
			begun := time.Now()
			limited, cancel := context.WithTimeout(ctx, deadline)
			answer, err := stub.Process(limited, &rack.Block{Samples: make([]float32, 64)})
			cancel()
			if ctx.Err() != nil {
				return
			}
			note(begun, answer, err)
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
	}()
}

func (l *load) note(to *counts, begun time.Time, err error, excused bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	to.Calls++
	if err == nil {
		if took := time.Since(begun); !excused {
			to.Slowest = max(to.Slowest, rounded(took))
		}
		return
	}
	what := err.Error()
	var f *mxp.Failure
	if errors.As(err, &f) {
		what = fmt.Sprint(f.Status)
		if f.Name != "" {
			what += " " + f.Name
		}
	}
	if excused {
		to.Excused[what]++
	} else {
		to.Failed[what]++
	}
}

// excused reports whether one of the names was gone at some time since a call began.
func (l *load) excused(begun time.Time, names []string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.ContainsFunc(names, func(name string) bool { return begun.Before(l.gone[name]) })
}

// goes says that an agent or a node is gone, and comes that it is back.
func (l *load) goes(name string)  { l.mark(name, forever) }
func (l *load) comes(name string) { l.mark(name, time.Now().Add(settling)) }

func (l *load) mark(name string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone[name] = until
}

// take gives the counts since the last time.
func (l *load) take() (named, any counts, odd []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	named, any, odd = l.named, l.any, l.odd
	fresh := func() counts { return counts{Failed: map[string]int{}, Excused: map[string]int{}} }
	l.named, l.any, l.odd = fresh(), fresh(), nil
	return named, any, odd
}

func (l *load) end() {
	l.cancel()
	l.running.Wait()
	for _, client := range l.clients {
		client.Close()
	}
}

// epochs are watched at each node: the epochs of a name never fall, and no two names have one.
type epochs struct {
	cancel  context.CancelFunc
	running sync.WaitGroup
	mu      sync.Mutex
	holders map[uint64]string
	odd     []string
}

func watchEpochs(m *mesh) *epochs {
	ctx, cancel := context.WithCancel(m.ctx)
	e := &epochs{cancel: cancel, holders: map[uint64]string{}}
	for i := range nodes {
		e.running.Add(1)
		go func() {
			defer e.running.Done()
			last := map[string]uint64{}
			for ; ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
				l, err := m.listing(i)
				if err != nil {
					continue
				}
				e.mu.Lock()
				for _, a := range l.Agents {
					if a.Epoch < last[a.Name] {
						e.odd = append(e.odd, fmt.Sprintf("node %d: %s has epoch %d after %d", i+1, a.Name, a.Epoch, last[a.Name]))
					}
					last[a.Name] = a.Epoch
					if other, held := e.holders[a.Epoch]; held && other != a.Name {
						e.odd = append(e.odd, fmt.Sprintf("%s and %s have epoch %d", other, a.Name, a.Epoch))
					}
					e.holders[a.Epoch] = a.Name
				}
				e.mu.Unlock()
			}
		}()
	}
	return e
}

// seen is how many epochs there were, and their faults.
func (e *epochs) seen() (int, []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.holders), slices.Clone(e.odd)
}

func (e *epochs) end() {
	e.cancel()
	e.running.Wait()
}
