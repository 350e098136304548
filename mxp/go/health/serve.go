package health

import (
	"context"
	"slices"
	"sync"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
)

// Reporter tells peers the states of services. It is safe for use by several goroutines.
type Reporter struct {
	services *mxp.Services

	mu      sync.Mutex
	states  map[string]State // of those that were set
	changed chan struct{}    // closed when one is
}

// Serve adds Health to services, beside the services that are there or are added before the server
// is made. All of them, and the server as a whole, are Serving until Set says otherwise, and
// NotServing once the server drains [MXP-13.8, MXP-13.9].
func Serve(services *mxp.Services) *Reporter {
	r := &Reporter{services: services, states: map[string]State{}, changed: make(chan struct{})}
	RegisterHealth(services, &server{reporter: r})
	return r
}

// Set says in which state a service is; the empty name is the server as a whole.
func (r *Reporter) Set(service string, state State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states[service] = state
	close(r.changed)
	r.changed = make(chan struct{})
}

// state is that of a service, until changed is closed.
func (r *Reporter) state(service string) (state State, change <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state, said := r.states[service]
	switch {
	case service != "" && !slices.Contains(r.services.Names(), service):
		state = StateUnknown
	case !said:
		state = StateServing
	}
	return state, r.changed
}

// server serves Health.
type server struct {
	UnimplementedHealth
	reporter *Reporter
}

func (s *server) Check(ctx context.Context, request *Request) (*Report, error) {
	state, _ := s.reporter.state(request.Service)
	select {
	case <-mxp.RequestFrom(ctx).Draining():
		state = StateNotServing
	default:
	}
	return &Report{State: state}, nil
}

func (s *server) Watch(ctx context.Context, request *Request, responses *mxp.Sender[Report]) error {
	draining := mxp.RequestFrom(ctx).Draining()
	for last, begun := StateUnknown, false; ; begun = true {
		state, changed := s.reporter.state(request.Service)
		drains := false
		select {
		case <-draining:
			state, drains = StateNotServing, true
		default:
		}
		if !begun || state != last {
			if err := responses.Send(&Report{State: state}); err != nil {
				return err
			}
			last = state
		}
		if drains {
			return nil
		}
		select {
		case <-changed:
		case <-draining:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
