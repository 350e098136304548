package session

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/serial-data-protocol/sdp/mxp/go/frame"
)

// Stats are the counters of a session.
type Stats struct {
	// In and Out count by type.
	In, Out ByType
	// Refusals counts the refusals that the peer was told or that ended the session, by number.
	Refusals [refusals]uint64
	// Dropped counts Events [MXP-9.5], Late frames [MXP-5.7].
	Dropped, Late uint64
	// Retries are requests that a client has made again by its policy [MXP-14.8], RetriesOverBudget
	// requests that it has not made again, for want of budget. A session makes none.
	Retries, RetriesOverBudget uint64
	// Outliers is how often a client has left out a connection for a while [MXP-14.10]. A session
	// leaves out none.
	Outliers uint64
	// ShmFallbacks are connections by shared memory of a client, or a server, that went over
	// their socket instead [MXP-18.5]. A session knows none.
	ShmFallbacks uint64
	// Methods count the requests of each method, where a server or a client does.
	Methods []MethodStats
	// Calls is how long those took that were answered.
	Calls Latency

	// The gauges of this moment.
	InFlightHere, InFlightPeer int
	QueueBytes, QueueFrames    int
	HeldBytes                  int // [MXP-15.1], or all that connections hold [MXP-15.2]
}

// refusals is one more than the largest number of one.
const refusals = int(ErrLimitBatchBytes) + 1

// Traffic counts frames and their bytes.
type Traffic struct{ Frames, Bytes uint64 }

// ByType counts the frames of each type.
type ByType [frameTypes]Traffic

// place says where in ByType each type is.
var place = func() (place [256]uint8) {
	n := uint8(0)
	for t := range place {
		if frame.Type(t).Assigned() {
			place[t] = n
			n++
		}
	}
	return place
}()

// Of gives the counters of a type that is assigned.
func (b *ByType) Of(t frame.Type) *Traffic { return &b[place[t]] }

// Silent reports whether no frames but Hello and Error have come.
func (s *Stats) Silent() bool {
	all := uint64(0)
	for i := range s.In {
		all += s.In[i].Frames
	}
	return all-s.In.Of(frame.Hello).Frames-s.In.Of(frame.Error).Frames == 0
}

// Add adds counters, for instance of a connection that is gone.
func (s *Stats) Add(o *Stats) {
	for i := range s.In {
		s.In[i].add(o.In[i])
		s.Out[i].add(o.Out[i])
	}
	for i, n := range o.Refusals {
		s.Refusals[i] += n
	}
	s.Calls.addAll(&o.Calls)
	s.addMethods(o.Methods)
	s.Dropped += o.Dropped
	s.Late += o.Late
	s.Retries += o.Retries
	s.RetriesOverBudget += o.RetriesOverBudget
	s.Outliers += o.Outliers
	s.ShmFallbacks += o.ShmFallbacks
	s.InFlightHere += o.InFlightHere
	s.InFlightPeer += o.InFlightPeer
	s.QueueBytes += o.QueueBytes
	s.QueueFrames += o.QueueFrames
	s.HeldBytes += o.HeldBytes
}

func (t *Traffic) add(o Traffic) {
	t.Frames += o.Frames
	t.Bytes += o.Bytes
}

// buckets is how many powers of two the histogram has.
const buckets = 26

// Latency is a histogram. Bucket i counts times of at most 2^i microseconds and more than the
// bucket before; the last counts all longer times.
type Latency struct {
	Buckets [buckets + 1]uint64
	Sum     uint64 // in microseconds
	Count   uint64
}

func (l *Latency) addAll(o *Latency) {
	for i, n := range o.Buckets {
		l.Buckets[i] += n
	}
	l.Sum = sum(l.Sum, o.Sum)
	l.Count += o.Count
}

// LatencyBucket is the bucket of what took so many microseconds.
func LatencyBucket(took uint64) int {
	if took <= 1 {
		return 0
	}
	return min(bits.Len64(took-1), buckets)
}

func (l *Latency) add(took uint64) {
	l.Buckets[LatencyBucket(took)]++
	l.Sum = sum(l.Sum, took)
	l.Count++
}

// The directions of a frame.
const (
	in = iota
	out
)

func (s *Stats) frame(direction int, t frame.Type, size int) {
	traffic := s.In.Of(t)
	if direction == out {
		traffic = s.Out.Of(t)
	}
	traffic.add(Traffic{1, uint64(size)})
}

// Stats are the session's counters.
func (s *Session) Stats() *Stats {
	s.stats.InFlightHere, s.stats.InFlightPeer = len(s.mine), len(s.theirs)
	s.stats.QueueBytes, s.stats.QueueFrames = s.queue.bytes, s.queue.waiting
	s.stats.HeldBytes = s.Held()
	return &s.stats
}

// Prometheus is the counters in the text format of Prometheus.
func (s *Stats) Prometheus() string {
	var b strings.Builder
	s.traffic(&b, "mxp_frames_total", func(t *Traffic) uint64 { return t.Frames })
	s.traffic(&b, "mxp_bytes_total", func(t *Traffic) uint64 { return t.Bytes })
	b.WriteString("# TYPE mxp_in_flight gauge\n")
	fmt.Fprintf(&b, "mxp_in_flight{side=\"here\"} %d\nmxp_in_flight{side=\"peer\"} %d\n", s.InFlightHere, s.InFlightPeer)
	one(&b, "mxp_queue_bytes", "gauge", uint64(s.QueueBytes))
	one(&b, "mxp_queue_frames", "gauge", uint64(s.QueueFrames))
	one(&b, "mxp_held_bytes", "gauge", uint64(s.HeldBytes))
	b.WriteString("# TYPE mxp_refusals_total counter\n")
	for number, n := range s.Refusals {
		if n > 0 {
			fmt.Fprintf(&b, "mxp_refusals_total{name=%q} %d\n", refusalName(uint8(number)), n)
		}
	}
	one(&b, "mxp_events_dropped_total", "counter", s.Dropped)
	one(&b, "mxp_late_frames_total", "counter", s.Late)
	one(&b, "mxp_retries_total", "counter", s.Retries)
	one(&b, "mxp_retries_over_budget_total", "counter", s.RetriesOverBudget)
	one(&b, "mxp_outliers_total", "counter", s.Outliers)
	one(&b, "mxp_shm_fallbacks_total", "counter", s.ShmFallbacks)
	s.Calls.prometheus(&b)
	s.methods(&b)
	return b.String()
}

func (s *Stats) traffic(b *strings.Builder, name string, count func(*Traffic) uint64) {
	fmt.Fprintf(b, "# TYPE %s counter\n", name)
	for direction, table := range []*ByType{&s.In, &s.Out} {
		for t := range 256 {
			if t := frame.Type(t); t.Assigned() && table.Of(t).Frames > 0 {
				fmt.Fprintf(b, "%s{direction=%q,type=%q} %d\n", name, [...]string{"in", "out"}[direction], t, count(table.Of(t)))
			}
		}
	}
}

func one(b *strings.Builder, name, kind string, value uint64) {
	fmt.Fprintf(b, "# TYPE %s %s\n%s %d\n", name, kind, name, value)
}

func (l *Latency) prometheus(b *strings.Builder) {
	const name = "mxp_call_seconds"
	fmt.Fprintf(b, "# TYPE %s histogram\n", name)
	n := uint64(0)
	for i := range buckets {
		n += l.Buckets[i]
		fmt.Fprintf(b, "%s_bucket{le=\"%s\"} %d\n", name, seconds(1<<i), n)
	}
	fmt.Fprintf(b, "%s_bucket{le=\"+Inf\"} %d\n%s_sum %s\n%s_count %d\n", name, l.Count, name, seconds(l.Sum), name, l.Count)
}

// refusalName is that of one of frames or of sessions: their numbers differ.
func refusalName(number uint8) string {
	if Kind(number) >= ErrHello {
		return Kind(number).String()
	}
	return frame.Kind(number).String()
}
