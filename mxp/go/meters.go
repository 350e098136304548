package mxp

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// methodsMax is how many methods are counted each for itself.
const methodsMax = 1024

// meters count the requests that a server serves, or a client makes, by their methods.
type meters struct {
	last atomic.Pointer[meter] // that which was asked for last, which the next request is mostly of
	mu   sync.RWMutex
	each map[methodMeter]*meter
	rest [2]meter // of all methods beyond, asked for and served
}

// methodMeter is a method that is counted.
type methodMeter struct {
	served  bool // by this side
	service string
	number  uint16
}

// meter counts the requests of a method.
type meter struct {
	methodMeter
	name     string // empty if nobody has named it
	begun    atomic.Uint64
	statuses [statusesMax + 1]atomic.Uint64 // ends of requests; the last has statuses without a name
	sum      atomic.Uint64                  // the time of all ended requests, in microseconds
	ended    [len(session.Latency{}.Buckets)]atomic.Uint64
}

const statusesMax = int(session.StatusUnauthenticated) + 1

// begin counts a request that begins.
func (m *meters) begin(r *Request, isServer bool) (count *meter) {
	count = m.find(r, isServer)
	count.begun.Add(1)
	return count
}

// find gives the meter that counts a request.
func (m *meters) find(r *Request, isServer bool) (count *meter) {
	key := methodMeter{isServer, r.Service, r.Method}
	if count = m.last.Load(); count == nil || count.methodMeter != key {
		count = m.of(key, r.Name)
		m.last.Store(count)
	}
	return count
}

func (m *meters) of(key methodMeter, name string) *meter {
	m.mu.RLock()
	one, full := m.each[key], len(m.each) == methodsMax
	m.mu.RUnlock()
	switch {
	case one != nil:
		return one
	case full:
		return m.beyond(key.served)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch one = m.each[key]; {
	case one != nil:
	case len(m.each) == methodsMax:
		return m.beyond(key.served)
	default:
		if m.each == nil {
			m.each = map[methodMeter]*meter{}
		}
		one = &meter{methodMeter: key, name: name}
		m.each[key] = one
	}
	return one
}

// beyond counts the requests of all methods that are not counted each for itself.
func (m *meters) beyond(isServer bool) *meter {
	if isServer {
		return &m.rest[1]
	}
	return &m.rest[0]
}

// end counts a request that has ended, by its error. Its status comes first: no reader sees a request that has ended
// without one.
func (m *meter) end(took time.Duration, err error) {
	us := uint64(max(took.Microseconds(), 0))
	m.statuses[min(int(statusOf(err)), statusesMax)].Add(1)
	m.sum.Add(us)
	m.ended[session.LatencyBucket(us)].Add(1)
}

// several counts requests that have begun and ended well together, in a time that they share.
func (m *meter) several(requests int, took time.Duration) {
	if requests == 0 {
		return
	}
	us := uint64(max(took.Microseconds(), 0))
	m.begun.Add(uint64(requests))
	m.statuses[session.StatusOK].Add(uint64(requests))
	m.sum.Add(us)
	m.ended[session.LatencyBucket(us/uint64(requests))].Add(uint64(requests))
}

// epoch is what times are counted from: that costs half of what time.Now does.
var epoch = time.Now()

// statusOf is how a request has ended: as the client knows it, or is told.
func statusOf(err error) session.Status {
	if err == nil {
		return session.StatusOK
	}
	var f *Failure
	if errors.As(err, &f) {
		return f.Status
	}
	return failureOf(err).Status
}

// addStats adds the counters of all methods.
func (m *meters) addStats(total *session.Stats) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for key, one := range m.each {
		stats := one.stats()
		stats.Served, stats.Service, stats.Method = key.served, key.service, one.name
		if one.name == "" {
			stats.Method = strconv.Itoa(int(key.number))
		}
		total.Methods = append(total.Methods, stats)
	}
	for _, served := range []bool{false, true} {
		rest := m.beyond(served).stats()
		if rest.Served = served; len(rest.Requests) > 0 || rest.InFlight > 0 {
			total.Methods = append(total.Methods, rest)
		}
	}
	total.SortMethods()
}

func (m *meter) stats() session.MethodStats {
	stats := session.MethodStats{Requests: map[session.Status]uint64{}}
	for i := range m.ended { // before the statuses and the begun requests, of which there are never fewer
		n := m.ended[i].Load()
		stats.Took.Buckets[i] = n
		stats.Took.Count += n
	}
	stats.Took.Sum = m.sum.Load()
	for status := range m.statuses {
		if n := m.statuses[status].Load(); n > 0 {
			stats.Requests[session.Status(status)] = n
		}
	}
	stats.InFlight = int(m.begun.Load() - stats.Took.Count)
	return stats
}
