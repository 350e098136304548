package session

import (
	"slices"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
	"github.com/serial-data-protocol/sdp/runtime/go"
)

// layoutBytes is how many bytes the texts in Layouts have together at most.
const layoutBytes = 64 << 10

// clash is a type that is not compatible with the peer's type of the same name.
type clash struct {
	*Type
	hashed bool   // both sides gave the layout's hash: the joint text has the type
	alike  bool   // one list of fingerprints begins with the other
	text   string // sent as the layout text of a type that is not hashed
	// Why this side does not read what the peer writes, and the reverse; or nothing.
	in, out string
}

// Difference is a method that is refused, since its request or its response is of a
// type that the two sides can't exchange.
type Difference struct {
	Method Method
	Served bool   // by this side; else by the peer
	Text   string // where the types differ first
}

// target is a method of a service of this side's or of the peer's, by numbers.
type target struct {
	served          bool
	service, method uint16
}

// compare finds the types that may mean different bytes on the two sides [MXP-6.5].
func (s *Session) compare(types []control.Type) {
	byName := make(map[string]*control.Type, len(types))
	for i := range types {
		byName[types[i].Name] = &types[i]
	}
	var uncompared []*Type
	for i := range s.config.Types {
		t := &s.config.Types[i]
		other := byName[t.Name]
		if other == nil {
			continue
		}
		n := min(len(t.Fingerprints), len(other.Fingerprints))
		c := clash{Type: t, alike: slices.Equal(t.Fingerprints[:n], other.Fingerprints[:n])}
		hash := t.layoutHash()
		c.hashed = hash != 0 && other.Layout != 0
		switch {
		case c.hashed && hash != other.Layout, !c.hashed && !c.alike:
			s.clashes = append(s.clashes, c)
		case !c.hashed:
			uncompared = append(uncompared, t)
		}
	}
	s.note(uncompared)
}

// note keeps the names of types of which fingerprints alone are compared.
func (s *Session) note(types []*Type) {
	if len(types) == 0 {
		return
	}
	meeting := s.meeting()
	for _, t := range types {
		if meeting.concerns(t) {
			s.uncompared = append(s.uncompared, t.Name)
		}
	}
}

// layoutHash tells the layout text from others; 0 without one [MXP-6.5].
func (t *Type) layoutHash() uint64 {
	if t.Layout == "" {
		return 0
	}
	return frame.HashText(t.Layout)
}

// tolerance is what this side does about the types that clash.
func (s *Session) tolerance() control.Tolerance {
	for _, c := range s.clashes {
		if len(c.Requests)+len(c.Responses) == 0 {
			return control.ToleranceLayouts
		}
	}
	return control.ToleranceMethods
}

// budget is the rest of the bytes that texts have together.
type budget int

// take gives a text, or nothing if there is no room for it.
func (b *budget) take(text string) string {
	if len(text) > int(*b) {
		return ""
	}
	*b -= budget(len(text))
	return text
}

// meeting has the numbers of the services of the two sides, by their names.
type meeting struct{ served, used map[string]uint16 }

func (s *Session) meeting() meeting {
	return meeting{positions(s.config.Services), positions(s.services)}
}

// concerns reports whether the peer may learn how a type is laid out: a service that
// either side serves reaches it, or nobody knows [MXP-6.5].
func (m meeting) concerns(t *Type) bool {
	shared := func(method Method) bool {
		_, here := m.served[method.Service]
		_, there := m.used[method.Service]
		return here || there
	}
	return len(t.Requests)+len(t.Responses) == 0 || slices.ContainsFunc(t.Requests, shared) || slices.ContainsFunc(t.Responses, shared)
}

func (s *Session) sendLayouts(now uint64) {
	said := control.Layouts{Tolerance: s.tolerance()}
	left := budget(layoutBytes)
	meeting := s.meeting()
	for i := range s.clashes {
		c := &s.clashes[i]
		if meeting.concerns(c.Type) {
			if c.hashed {
				left -= budget(s.joint.add(c.Layout, int(left)))
			} else {
				c.text = left.take(c.Layout)
			}
		}
		said.Layouts = append(said.Layouts, control.Layout{Name: c.Name, Text: c.text})
	}
	said.Joint = s.joint.String()
	s.send(frame.Header{Type: frame.Hello}, &said, mark{}, now)
}

// layouts finds out which types read each other, and which methods are to be refused for the others
// [MXP-6.6, MXP-6.8].
func (s *Session) layouts(payload []byte, now uint64) {
	var layouts control.Layouts
	if err := control.DecodeLayouts(&layouts, payload); err != nil {
		s.failPayload(err, now)
		return
	}
	left := budget(layoutBytes)
	joints := newComparison(s.joint.String(), left.take(layouts.Joint))
	texts := map[string]string{}
	for _, l := range layouts.Layouts {
		if text := left.take(l.Text); texts[l.Name] == "" && sdp.IsLayoutText(text) {
			texts[l.Name] = text
		}
	}
	var uncompared []*Type
	for i := range s.clashes {
		c := &s.clashes[i]
		both := joints
		if !c.hashed {
			both = newComparison(c.text, texts[c.Name])
		}
		if !c.meet(both) {
			uncompared = append(uncompared, c.Type)
		}
	}
	s.note(uncompared)
	tolerance := min(layouts.Tolerance, s.tolerance())
	if text := s.intolerable(tolerance); text != "" {
		s.fail(ErrSchema, control.Failure{Text: text}, now)
		return
	}
	s.differ()
	s.clashes, s.joint = nil, joint{}
	s.greeted(now)
}

// comparison is that of a text of this side's and one of the peer's, in both directions.
type comparison struct{ in, out *sdp.LayoutComparison }

// newComparison compares two texts; nil where either is none.
func newComparison(here, there string) *comparison {
	if !sdp.IsLayoutText(here) || !sdp.IsLayoutText(there) {
		return nil
	}
	ours, theirs := sdp.NewLayoutBlocks(here), sdp.NewLayoutBlocks(there)
	return &comparison{sdp.NewLayoutComparison(ours, theirs, true), sdp.NewLayoutComparison(ours, theirs, false)}
}

// meet finds out whether the two sides read each other's type, and reports whether the texts
// tell it. If they don't, types are read whose fingerprints are alike.
func (c *clash) meet(pair *comparison) (compared bool) {
	if root, there := pair.root(c); there {
		c.in, c.out = pair.in.Unread(root), pair.out.Unread(root)
		return true
	}
	if c.alike {
		return false
	}
	c.in = c.Name + ": layouts unknown"
	c.out = c.in
	return true
}

// root is the pair of the blocks of a type, if both texts have it. A text of its own has no other.
func (c *comparison) root(t *clash) (root sdp.LayoutPair, there bool) {
	if c == nil || !t.hashed {
		return root, c != nil
	}
	return c.in.Root(t.Name)
}

// intolerable is why the session ends, or nothing.
func (s *Session) intolerable(tolerance control.Tolerance) string {
	if tolerance >= control.ToleranceMethods {
		return ""
	}
	for _, c := range s.clashes {
		if c.in != "" {
			return c.in
		}
		if c.out != "" {
			return c.out
		}
	}
	if tolerance == control.ToleranceNone {
		return s.clashes[0].Name + ": fingerprints differ"
	}
	return ""
}

// differ finds the methods that are refused: who serves one reads its requests, and
// who calls it the responses.
func (s *Session) differ() {
	meeting := s.meeting()
	refuse := func(methods []Method, atServer, atPeer string) {
		for _, m := range methods {
			s.refuseMethod(m, true, meeting.served, atServer)
			s.refuseMethod(m, false, meeting.used, atPeer)
		}
	}
	for _, c := range s.clashes {
		refuse(c.Requests, c.in, c.out)
	}
	for _, c := range s.clashes {
		refuse(c.Responses, c.out, c.in)
	}
}

// positions are the numbers of services, by their names. Of two of one name the
// first counts: a peer that repeats one has no more refused than there are methods
// here.
func positions(services []string) map[string]uint16 {
	numbers := make(map[string]uint16, len(services))
	for i, name := range services[:min(len(services), servicesMax)] {
		if _, known := numbers[name]; !known {
			numbers[name] = uint16(i)
		}
	}
	return numbers
}

// refuseMethod refuses a method of services at these positions, for the first
// difference that there is.
func (s *Session) refuseMethod(m Method, isServer bool, services map[string]uint16, text string) {
	number, known := services[m.Service]
	at := target{isServer, number, m.Number}
	if text == "" || !known || s.refusals[at] != "" {
		return
	}
	if s.refusals == nil {
		s.refusals = map[target]string{}
	}
	s.refusals[at] = text
	s.differences = append(s.differences, Difference{m, isServer, text})
}

// Differences are the methods that are refused.
func (s *Session) Differences() []Difference { return s.differences }

// Uncompared are the names of the types of which the sides compared fingerprints alone [MXP-6.5]:
// the peer is of a release before 0.4, or the texts were too long.
func (s *Session) Uncompared() []string { return s.uncompared }

// Difference is why requests of a method of the peer's are refused, or nothing.
func (s *Session) Difference(service, method uint16) string {
	return s.refusals[target{false, service, method}]
}
