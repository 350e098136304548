package session

import (
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
)

const (
	version          = 1
	offerChecksumOff = 1 << 0
	layoutBytes      = 64 << 10
)

// greet sends Hello [MXP-6.1].
func (s *Session) greet(now uint64) {
	hello := control.Hello{Version: version, PayloadBytes: uint32(s.config.PayloadBytes)}
	if s.config.OfferChecksumOff {
		hello.Offers = offerChecksumOff
	}
	for _, name := range s.config.Services {
		hello.Services = append(hello.Services, control.Service{Name: name})
	}
	for _, t := range s.config.Types {
		hello.Types = append(hello.Types, control.Type{Name: t.Name, Fingerprints: t.Fingerprints})
	}
	s.send(frame.Header{Type: frame.Hello}, &hello, mark{}, now)
}

// hello takes the peer's Hello [MXP-6.3 to MXP-6.7].
func (s *Session) hello(payload []byte, now uint64) {
	if s.phase == comparing {
		s.layouts(payload, now)
		return
	}
	var hello control.Hello
	if err := control.DecodeHello(&hello, payload); err != nil {
		s.failPayload(err, now)
		return
	}
	if hello.Version < version {
		s.failKind(ErrVersion, now)
		return
	}
	s.accepts = int(min(hello.PayloadBytes, frame.PayloadBytes))
	for _, service := range hello.Services {
		s.services = append(s.services, service.Name)
	}
	s.compare(hello.Types)
	if s.config.OfferChecksumOff {
		s.reader.SetChecksum(frame.ChecksumOff)
		if hello.Offers&offerChecksumOff != 0 {
			s.checksum = frame.ChecksumOff
		}
	}
	if len(s.clashes.Layouts) > 0 {
		s.phase = comparing
		s.sendLayouts(now)
		return
	}
	s.phase = ready
	s.tell(&Ready{s.services})
}

// compare finds the types that mean different bytes on the two sides [MXP-6.5].
func (s *Session) compare(theirs []control.Type) {
	byName := make(map[string][]uint64, len(theirs))
	for _, t := range theirs {
		byName[t.Name] = t.Fingerprints
	}
	for _, t := range s.config.Types {
		other, known := byName[t.Name]
		n := min(len(t.Fingerprints), len(other))
		if known && !slices.Equal(t.Fingerprints[:n], other[:n]) {
			s.clashes.Layouts = append(s.clashes.Layouts, control.Layout{Name: t.Name, Text: t.Layout})
		}
	}
}

func (s *Session) sendLayouts(now uint64) {
	total := 0
	for i := range s.clashes.Layouts {
		layout := &s.clashes.Layouts[i]
		if total+len(layout.Text) > layoutBytes {
			layout.Text = ""
		}
		total += len(layout.Text)
	}
	s.send(frame.Header{Type: frame.Hello}, &s.clashes, mark{}, now)
}

// layouts ends the session, and says where the types differ [MXP-6.6].
func (s *Session) layouts(payload []byte, now uint64) {
	var layouts control.Layouts
	if err := control.DecodeLayouts(&layouts, payload); err != nil {
		s.failPayload(err, now)
		return
	}
	text := s.clashes.Layouts[0].Name
	for _, here := range s.clashes.Layouts {
		at := slices.IndexFunc(layouts.Layouts, func(l control.Layout) bool { return l.Name == here.Name })
		if at < 0 || here.Text == "" || layouts.Layouts[at].Text == "" || here.Text == layouts.Layouts[at].Text {
			continue
		}
		text = here.Name + ": " + difference(here.Text, layouts.Layouts[at].Text)
		break
	}
	s.fail(ErrSchema, Status(ErrSchema.Status()), text, now)
}

// difference names the first line in which two layout texts differ.
func difference(here, there string) string {
	block := ""
	for {
		mine, restHere, _ := strings.Cut(here, "\n")
		other, restThere, _ := strings.Cut(there, "\n")
		if mine != "" && mine[0] != ' ' && mine[0] != '@' {
			if words := strings.Fields(mine); len(words) > 2 {
				block = words[2]
			}
		}
		if mine != other || here == "" || there == "" {
			return block + ": here \"" + strings.TrimPrefix(mine, " ") + "\", there \"" + strings.TrimPrefix(other, " ") + "\""
		}
		here, there = restHere, restThere
	}
}
