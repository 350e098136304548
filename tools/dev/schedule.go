package main

import (
	"context"
	"fmt"
	"slices"
)

// schedule runs parts beside each other, so many at a time, and hands each outcome
// to report as it comes. A part's predecessors end before it starts, parts of one folder follow
// each other, and the longest part goes first. Parts whose predecessor failed are not run.
func schedule(ctx context.Context, root string, parts []*part, lanes int, report func(*outcome)) []*outcome {
	s := &scheduler{left: slices.Clone(parts), state: map[string]state{}, folders: map[string]bool{}}
	slices.SortStableFunc(s.left, func(a, b *part) int { return int(s.path(b, parts) - s.path(a, parts)) })
	done := make(chan *outcome)
	var outcomes []*outcome
	running := 0
	for {
		for running < lanes && ctx.Err() == nil {
			next := s.next()
			if next == nil {
				break
			}
			running++
			s.folders[next.folder] = true
			go func() { done <- next.run(ctx, root) }()
		}
		if running == 0 {
			break
		}
		o := <-done
		running--
		s.folders[o.part.folder] = false
		s.state[o.part.name] = passed
		if o.failure != nil {
			s.state[o.part.name] = failed
		}
		outcomes = append(outcomes, o)
		report(o)
	}
	for _, p := range s.left {
		o := &outcome{part: p, failure: fmt.Errorf("was not run")}
		outcomes = append(outcomes, o)
		report(o)
	}
	return outcomes
}

// state is how far a part has got.
type state int

const (
	waiting state = iota
	passed
	failed
)

type scheduler struct {
	left    []*part
	state   map[string]state
	folders map[string]bool // those in use
}

// path is the budget of a part and of the longest chain of parts that come after it.
func (s *scheduler) path(p *part, list []*part) (longest int64) {
	for _, next := range list {
		if slices.Contains(next.after, p.name) {
			longest = max(longest, s.path(next, list))
		}
	}
	return longest + int64(p.budget)
}

// next takes the first part that may start now.
func (s *scheduler) next() *part {
	at := slices.IndexFunc(s.left, s.ready)
	if at < 0 {
		return nil
	}
	p := s.left[at]
	s.left = slices.Delete(s.left, at, at+1)
	return p
}

func (s *scheduler) ready(p *part) bool {
	if p.folder != "" && s.folders[p.folder] {
		return false
	}
	return !slices.ContainsFunc(p.after, func(name string) bool { return s.state[name] != passed })
}
