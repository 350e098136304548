package session

import (
	"github.com/serial-data-protocol/sdp/mxp/go/frame"
	"github.com/serial-data-protocol/sdp/mxp/go/internal/mxp/control"
)

const (
	version          = 1
	offerChecksumOff = 1 << 0
	offerBatches     = 1 << 1
	servicesMax      = 1 << 16 // that have numbers
)

// greet sends Hello [MXP-6.1].
func (s *Session) greet(now uint64) {
	hello := control.Hello{Version: version, PayloadBytes: uint32(s.config.PayloadBytes)}
	if s.config.OfferChecksumOff {
		hello.Offers |= offerChecksumOff
	}
	if s.config.OfferBatches {
		hello.Offers |= offerBatches
	}
	for _, name := range s.config.Services {
		hello.Services = append(hello.Services, control.Service{Name: name})
	}
	for i := range s.config.Types {
		t := &s.config.Types[i]
		hello.Types = append(hello.Types, control.Type{Name: t.Name, Fingerprints: t.Fingerprints, Layout: t.layoutHash()})
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
	numbered := hello.Services[:min(len(hello.Services), servicesMax)]
	s.services = make([]string, len(numbered))
	for i := range numbered {
		s.services[i] = numbered[i].Name
		s.texts += len(numbered[i].Name) + textBytes
	}
	s.compare(hello.Types)
	if s.config.OfferChecksumOff {
		s.reader.SetChecksum(frame.ChecksumOff)
		if hello.Offers&offerChecksumOff != 0 {
			s.checksum = frame.ChecksumOff
		}
	}
	s.batches = s.config.OfferBatches && hello.Offers&offerBatches != 0
	if len(s.clashes) > 0 {
		s.phase = comparing
		s.sendLayouts(now)
		return
	}
	s.greeted(now)
}

// greeted makes the session ready.
func (s *Session) greeted(now uint64) {
	s.phase = ready
	s.tell(&Ready{s.services})
	if s.leaving != nil {
		s.farewell(*s.leaving, now)
	}
}
