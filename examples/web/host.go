package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/serial-data-protocol/sdp/examples/web/rack"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

const (
	// tick is how often automation moves parameters.
	tick = 40 * time.Millisecond
	// automated is how many of a plug-in's parameters it moves, beside all outputs.
	automated = 8
	// wave is how long automation takes from one end to the other and back.
	wave = 6 * time.Second
)

// host has plug-ins, and the values of their parameters.
type host struct {
	listed *rack.Plugins
	ended  chan struct{}

	mu     sync.Mutex
	states []state // of each plug-in
	panels map[*panel]struct{}
}

// state is the positions of a plug-in's parameters.
type state struct {
	values    []float32
	hands     []int // how many panels have a hand on each
	automated bool
}

// panel is one that is open. Its untold parameters are a set, so that a panel that reads slowly is
// told the newest values, and nothing waits for it.
type panel struct {
	shows  int // -1 before it shows one
	moved  map[uint32]struct{}
	holds  map[uint32]struct{}
	news   bool
	wakeup chan struct{}
}

func newHost(listed *rack.Plugins) *host {
	h := &host{listed: listed, ended: make(chan struct{}), panels: map[*panel]struct{}{}}
	for _, plugin := range listed.Plugins {
		s := state{hands: make([]int, len(plugin.Parameters))}
		for _, p := range plugin.Parameters {
			s.values = append(s.values, p.Initial)
		}
		h.states = append(h.states, s)
	}
	return h
}

// end ends all panels.
func (h *host) end() { close(h.ended) }

func (h *host) Plugins(context.Context, *rack.Nothing) (*rack.Plugins, error) { return h.listed, nil }

// Panel takes what is done at a panel, while it tells it what happens.
func (h *host) Panel(ctx context.Context, actions *mxp.Receiver[rack.Action], changes *mxp.Sender[rack.Change]) error {
	p := &panel{shows: -1, wakeup: make(chan struct{}, 1)}
	h.mu.Lock()
	h.panels[p] = struct{}{}
	h.mu.Unlock()
	defer h.leave(p)

	done := make(chan error, 1)
	go func() { done <- h.follow(p, actions) }()
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-h.ended:
			return mxp.Refuse(mxp.Failure{Status: session.StatusUnavailable, Name: "host_ended"})
		case <-p.wakeup:
		}
		if change := h.take(p); change != nil {
			if err := changes.Send(change); err != nil {
				return err
			}
		}
	}
}

// follow does what a panel asks for, until that ends.
func (h *host) follow(p *panel, actions *mxp.Receiver[rack.Action]) error {
	for action, err := range actions.All() {
		if err == nil {
			err = h.do(p, action)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (h *host) do(p *panel, action *rack.Action) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, open := h.panels[p]; !open {
		return nil // it has left meanwhile
	}
	switch a := action.Value.(type) {
	case *rack.ActionShow:
		if int(a.Plugin) >= len(h.states) {
			return unknown("plug-in", a.Plugin)
		}
		h.show(p, int(a.Plugin))
	case *rack.ActionTurn:
		return h.turn(p, a.Value)
	case *rack.ActionLetGo:
		h.letGo(p, a.Parameter)
	case *rack.ActionAutomate:
		if p.shows >= 0 {
			h.states[p.shows].automated = a.On
			h.tell(p.shows)
		}
	} // what a newer panel does beside that is nothing to this host
	return nil
}

// show tells a panel all of a plug-in.
func (h *host) show(p *panel, plugin int) {
	h.letAllGo(p)
	p.shows, p.moved, p.holds = plugin, map[uint32]struct{}{}, map[uint32]struct{}{}
	for i := range h.states[plugin].values {
		p.moved[uint32(i)] = struct{}{}
	}
	p.wake()
}

func (h *host) turn(p *panel, move rack.Move) error {
	if p.shows < 0 || int(move.Parameter) >= len(h.states[p.shows].values) {
		return unknown("parameter", move.Parameter)
	}
	described := &h.listed.Plugins[p.shows].Parameters[move.Parameter]
	if described.IsOutput || !(move.Value >= described.Low && move.Value <= described.High) {
		return mxp.Refuse(mxp.Failure{
			Status: session.StatusInvalidArgument, Name: "value_out_of_range", Text: fmt.Sprintf("%s can't be %g", described.Name, move.Value),
		})
	}
	if _, held := p.holds[move.Parameter]; !held {
		p.holds[move.Parameter] = struct{}{}
		h.states[p.shows].hands[move.Parameter]++
	}
	h.states[p.shows].values[move.Parameter] = move.Value
	h.tell(p.shows, move.Parameter)
	return nil
}

func (h *host) letGo(p *panel, parameter uint32) {
	if _, held := p.holds[parameter]; held {
		delete(p.holds, parameter)
		h.states[p.shows].hands[parameter]--
	}
}

func (h *host) letAllGo(p *panel) {
	for parameter := range p.holds {
		h.letGo(p, parameter)
	}
}

func (h *host) leave(p *panel) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.letAllGo(p)
	delete(h.panels, p)
}

// tell notes for all panels of a plug-in which of its parameters have moved.
func (h *host) tell(plugin int, parameters ...uint32) {
	for p := range h.panels {
		if p.shows == plugin {
			for _, parameter := range parameters {
				p.moved[parameter] = struct{}{}
			}
			p.wake()
		}
	}
}

func (p *panel) wake() {
	p.news = true
	select {
	case p.wakeup <- struct{}{}:
	default: // it is to wake already
	}
}

// take is a panel's next message: nil if there is no news.
func (h *host) take(p *panel) *rack.Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !p.news {
		return nil
	}
	p.news = false
	s := &h.states[p.shows]
	change := &rack.Change{Plugin: uint32(p.shows), Automated: s.automated}
	for parameter := range p.moved {
		change.Moves = append(change.Moves, rack.Move{Parameter: parameter, Value: s.values[parameter]})
	}
	slices.SortFunc(change.Moves, func(a, b rack.Move) int { return int(a.Parameter) - int(b.Parameter) })
	clear(p.moved)
	return change
}

// automate moves parameters until the context ends.
func (h *host) automate(ctx context.Context) {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	for begun := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case now := <-ticks.C:
			h.mu.Lock()
			for plugin := range h.states {
				if moved := h.step(plugin, now.Sub(begun)); len(moved) > 0 {
					h.tell(plugin, moved...)
				}
			}
			h.mu.Unlock()
		}
	}
}

// step moves a plug-in's parameters to their places at a time, but for parameters under a hand.
func (h *host) step(plugin int, at time.Duration) (moved []uint32) {
	s := &h.states[plugin]
	if !s.automated {
		return nil
	}
	inputs := 0
	for i, p := range h.listed.Plugins[plugin].Parameters {
		if !p.IsOutput {
			if inputs++; inputs > automated {
				continue
			}
		}
		if s.hands[i] > 0 {
			continue
		}
		phase := at.Seconds()/wave.Seconds() + float64(i)/automated
		if value := between(&p, 0.5-0.5*math.Cos(2*math.Pi*phase)); value != s.values[i] {
			s.values[i] = value
			moved = append(moved, uint32(i))
		}
	}
	return moved
}

// between is a value of a parameter: its low end for 0, its high end for 1.
func between(p *rack.Parameter, part float64) float32 {
	low, high := float64(p.Low), float64(p.High)
	value := low + part*(high-low)
	switch p.Scale {
	case rack.ScaleLogarithmic:
		value = low * math.Pow(high/low, part)
	case rack.ScaleWhole:
		value = math.Round(value)
	case rack.ScaleSwitch:
		value = low + math.Round(part)*(high-low)
	}
	return min(max(float32(value), p.Low), p.High)
}

func unknown(what string, number uint32) error {
	return mxp.Refuse(mxp.Failure{Status: session.StatusNotFound, Name: "no_such_thing", Text: fmt.Sprintf("there is no %s %d", what, number)})
}
