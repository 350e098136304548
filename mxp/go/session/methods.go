package session

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// MethodStats count the requests of a method. A session doesn't: servers and clients do.
type MethodStats struct {
	// Served says that this side serves the method; else it asks for it.
	Served bool
	// Service is its full name, Method the method's, or its number where nobody has named it.
	// Both are empty in the counters of all methods beyond the first 1,024.
	Service, Method string
	// Requests count the ended requests, by status.
	Requests map[Status]uint64
	// Took is how long those took.
	Took     Latency
	InFlight int
}

func (m *MethodStats) compare(o *MethodStats) int {
	return cmp.Or(cmp.Compare(m.side(), o.side()), cmp.Compare(m.Service, o.Service), cmp.Compare(m.Method, o.Method))
}

func (m *MethodStats) side() string {
	if m.Served {
		return "server"
	}
	return "client"
}

// SortMethods puts the methods into the order of their sides and names.
func (s *Stats) SortMethods() {
	slices.SortFunc(s.Methods, func(a, b MethodStats) int { return a.compare(&b) })
}

// addMethods adds counters of the same methods.
func (s *Stats) addMethods(methods []MethodStats) {
	if len(methods) == 0 {
		return
	}
	s.Methods = slices.Clone(s.Methods)
	for _, o := range methods {
		at := slices.IndexFunc(s.Methods, func(m MethodStats) bool { return m.compare(&o) == 0 })
		if at < 0 {
			s.Methods = append(s.Methods, o)
			continue
		}
		m := &s.Methods[at]
		m.Requests = maps.Clone(m.Requests)
		for status, n := range o.Requests {
			m.Requests[status] += n
		}
		m.Took.addAll(&o.Took)
		m.InFlight += o.InFlight
	}
	s.SortMethods()
}

// labels are the labels that all lines of a method have.
func (m *MethodStats) labels() string {
	service, method := m.Service, m.Method
	if service == "" && method == "" {
		service, method = "other", "other"
	}
	return fmt.Sprintf(`side="%s",service="%s",method="%s"`, m.side(), label.Replace(service), label.Replace(method))
}

// label escapes what a label of Prometheus can't have.
var label = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (s *Stats) methods(b *strings.Builder) {
	if len(s.Methods) == 0 {
		return
	}
	b.WriteString("# TYPE mxp_requests_total counter\n")
	for i := range s.Methods {
		m := &s.Methods[i]
		for _, status := range slices.Sorted(maps.Keys(m.Requests)) {
			fmt.Fprintf(b, "mxp_requests_total{%s,status=\"%s\"} %d\n", m.labels(), statusName(status), m.Requests[status])
		}
	}
	b.WriteString("# TYPE mxp_requests_in_flight gauge\n")
	for i := range s.Methods {
		fmt.Fprintf(b, "mxp_requests_in_flight{%s} %d\n", s.Methods[i].labels(), s.Methods[i].InFlight)
	}
	b.WriteString("# TYPE mxp_request_seconds histogram\n")
	for i := range s.Methods {
		s.Methods[i].seconds(b)
	}
}

func statusName(status Status) string {
	if status <= StatusUnauthenticated {
		return status.String()
	}
	return "other"
}

func (m *MethodStats) seconds(b *strings.Builder) {
	labels, n := m.labels(), uint64(0)
	for i := range buckets {
		n += m.Took.Buckets[i]
		fmt.Fprintf(b, "mxp_request_seconds_bucket{%s,le=\"%s\"} %d\n", labels, seconds(1<<i), n)
	}
	fmt.Fprintf(b, "mxp_request_seconds_bucket{%s,le=\"+Inf\"} %d\n", labels, m.Took.Count)
	fmt.Fprintf(b, "mxp_request_seconds_sum{%s} %s\nmxp_request_seconds_count{%s} %d\n", labels, seconds(m.Took.Sum), labels, m.Took.Count)
}

// seconds are so many microseconds.
func seconds(us uint64) string { return fmt.Sprintf("%d.%06d", us/second, us%second) }
