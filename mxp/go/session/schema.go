package session

import (
	"slices"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
)

// layoutBytes is how many bytes the texts in Layouts have together at most.
const layoutBytes = 64 << 10

// clash is a type whose fingerprints are not compatible with those of the peer's
// type of the same name.
type clash struct {
	*Type
	text string // what is sent of its layout text
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
func (s *Session) compare(theirs []control.Type) {
	byName := make(map[string][]uint64, len(theirs))
	for _, t := range theirs {
		byName[t.Name] = t.Fingerprints
	}
	for i := range s.config.Types {
		t := &s.config.Types[i]
		other, known := byName[t.Name]
		n := min(len(t.Fingerprints), len(other))
		if known && !slices.Equal(t.Fingerprints[:n], other[:n]) {
			s.clashes = append(s.clashes, clash{Type: t})
		}
	}
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

// budget is what is left of the bytes that texts have together.
type budget int

// take gives a text, or nothing if there is no room for it.
func (b *budget) take(text string) string {
	if len(text) > int(*b) {
		return ""
	}
	*b -= budget(len(text))
	return text
}

// concerns reports whether the peer may learn how a type is laid out: a service that
// either side serves reaches it, or nobody knows [MXP-6.5].
func concerns(t *Type, served, used map[string]uint16) bool {
	shared := func(m Method) bool {
		_, here := served[m.Service]
		_, there := used[m.Service]
		return here || there
	}
	return len(t.Requests)+len(t.Responses) == 0 || slices.ContainsFunc(t.Requests, shared) || slices.ContainsFunc(t.Responses, shared)
}

func (s *Session) sendLayouts(now uint64) {
	said := control.Layouts{Tolerance: s.tolerance()}
	left := budget(layoutBytes)
	served, used := positions(s.config.Services), positions(s.services)
	for i := range s.clashes {
		c := &s.clashes[i]
		if concerns(c.Type, served, used) {
			c.text = left.take(c.Layout)
		}
		said.Layouts = append(said.Layouts, control.Layout{Name: c.Name, Text: c.text})
	}
	s.send(frame.Header{Type: frame.Hello}, &said, mark{}, now)
}

// layouts finds out which types read each other, and what is to be refused of the
// others [MXP-6.6, MXP-6.8].
func (s *Session) layouts(payload []byte, now uint64) {
	var layouts control.Layouts
	if err := control.DecodeLayouts(&layouts, payload); err != nil {
		s.failPayload(err, now)
		return
	}
	texts := map[string]string{}
	left := budget(layoutBytes)
	for _, l := range layouts.Layouts {
		if text := left.take(l.Text); texts[l.Name] == "" && isText(text) {
			texts[l.Name] = text
		}
	}
	for i := range s.clashes {
		s.clashes[i].meet(texts[s.clashes[i].Name])
	}
	tolerance := min(layouts.Tolerance, s.tolerance())
	if text := s.intolerable(tolerance); text != "" {
		s.fail(ErrSchema, control.Failure{Text: text}, now)
		return
	}
	s.differ()
	s.clashes = nil
	s.greeted(now)
}

// meet compares the layout texts of a type.
func (c *clash) meet(theirs string) {
	if !isText(c.text) || theirs == "" {
		c.in = c.Name + ": layouts unknown"
		c.out = c.in
		return
	}
	here, there := newLayout(c.text), newLayout(theirs)
	c.in, c.out = unread(here, there, true), unread(here, there, false)
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
	served, used := positions(s.config.Services), positions(s.services)
	refuse := func(methods []Method, atServer, atPeer string) {
		for _, m := range methods {
			s.refuseMethod(m, true, served, atServer)
			s.refuseMethod(m, false, used, atPeer)
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
func (s *Session) refuseMethod(m Method, served bool, services map[string]uint16, text string) {
	number, known := services[m.Service]
	at := target{served, number, m.Number}
	if text == "" || !known || s.refusals[at] != "" {
		return
	}
	if s.refusals == nil {
		s.refusals = map[target]string{}
	}
	s.refusals[at] = text
	s.differences = append(s.differences, Difference{m, served, text})
}

// Differences are the methods that are refused.
func (s *Session) Differences() []Difference { return s.differences }

// Difference is why requests of a method of the peer's are refused, or nothing.
func (s *Session) Difference(service, method uint16) string {
	return s.refusals[target{false, service, method}]
}
