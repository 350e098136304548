package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/conformance/meeting"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// proof holds what sessions refuse of a pair against random values of its types, and against the report.
type proof struct {
	kept, refused int      // types, each in one direction
	wrong         []string // what values or the report show to be kept or refused wrongly
}

// prove lets the releases of a pair meet, each as the client of the other. The event that carries a
// type shows whether the server reads it.
func (p *pair) prove(r *rand.Rand, values int) (*proof, error) {
	before, err := meeting.NewVersion(visible(p.before), r)
	if err != nil {
		return nil, err
	}
	after, err := meeting.NewVersion(visible(p.after), r)
	if err != nil {
		return nil, err
	}
	made := &proof{}
	for _, one := range []struct {
		client, server *release
		values         *meeting.Meeting
		reads          func(verdict) reads
	}{
		{p.Old, p.New, meeting.NewOfPeers(before, after), func(v verdict) reads { return v.NewReads }},
		{p.New, p.Old, meeting.NewOfPeers(after, before), func(v verdict) reads { return v.OldReads }},
	} {
		unread, err := unread(one.client, one.server)
		if err != nil {
			return nil, err
		}
		for _, v := range p.Verdicts {
			made.add(v, one.reads(v), unread[v.Name], one.values, values)
		}
	}
	return made, nil
}

// add looks at one type.
func (p *proof) add(v verdict, reads reads, difference string, values *meeting.Meeting, tries int) {
	if difference != "" {
		p.refused++
		if reads == yes {
			p.wrong = append(p.wrong, fmt.Sprintf("%s is refused, and its bytes are read: %s", v.Name, difference))
		}
		return
	}
	p.kept++
	for _, d := range values.Roots() {
		for range tries {
			if "s."+d.DeclName() != v.Name {
				break
			}
			if problem := values.Misunderstood(d); problem != "" {
				p.wrong = append(p.wrong, fmt.Sprintf("%s is kept, and misread: %s", v.Name, problem))
				return
			}
		}
	}
}

// unread gives the types that a server does not read of a client, each with the difference.
func unread(client, server *release) (map[string]string, error) {
	open := session.New(session.Config{Role: session.Opener, Types: client.types}, 0)
	accept := session.New(session.Config{Role: session.Acceptor, Services: []string{service}, Types: server.types}, 0)
	for pass(open, accept) || pass(accept, open) {
	}
	if !open.Ready() || !accept.Ready() {
		return nil, fmt.Errorf("the sessions are not ready")
	}
	types := map[string]string{}
	for _, d := range accept.Differences() {
		if !strings.HasPrefix(d.Method.Name, "event") {
			continue // its response may be what is not read
		}
		name := server.types[slices.IndexFunc(server.types, func(t session.Type) bool {
			return slices.Contains(t.Requests, d.Method)
		})].Name
		types[name] = d.Text
	}
	return types, nil
}

// pass hands what one session has to say to another, and reports whether that was anything.
func pass(from, to *session.Session) bool {
	said := false
	for f, ok := from.PollFrame(0); ok; f, ok = from.PollFrame(0) {
		said = true
		bytes := slices.Concat(f.Head, f.Value, f.Trailer)
		for _, ok := to.Receive(&bytes, 0); ok; _, ok = to.Receive(&bytes, 0) {
		}
	}
	return said
}
