package node

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// meters are what /metrics shows.
type meters struct {
	registry *prometheus.Registry
	times    *prometheus.HistogramVec
	events   *prometheus.CounterVec
	dropped  prometheus.Counter
	relayed  prometheus.Counter
}

func newMeters(n *Node) *meters {
	m := &meters{
		registry: prometheus.NewRegistry(),
		times: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "sdp_mesh_directory_seconds", Help: "Time of requests to the directory, by how they ended.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5},
		}, []string{"request", "result"}),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "sdp_mesh_events_total", Help: "Events that programs have published and were delivered, by whether they are durable.",
		}, []string{"what", "durable"}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "sdp_mesh_events_dropped_total", Help: "Events that subscribers were not sent, since they read too slowly.",
		}),
		relayed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "sdp_mesh_relayed_bytes_total", Help: "Bytes that were carried between programs of different machines.",
		}),
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	m.registry.MustRegister(
		m.times, m.events, m.dropped, m.relayed, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauge("sdp_mesh_agents", "Agents of the mesh that this node knows.", func() float64 { return float64(n.registry.Cache().Len()) }),
		gauge("sdp_mesh_nodes", "Nodes of the mesh that have shown life.", func() float64 { return float64(len(n.registry.Nodes())) }),
		gauge("sdp_mesh_directory_age_seconds", "Time since this node knew all of the directory; -1 before it did.", func() float64 {
			if age, ok := n.registry.Cache().Age(); ok {
				return age.Seconds()
			}
			return -1
		}),
		gauge("sdp_mesh_nats_in_bytes", "Bytes that this node's connection to NATS has received.", func() float64 { return float64(n.conn.Stats().InBytes) }),
		gauge("sdp_mesh_nats_out_bytes", "Bytes that this node's connection to NATS has sent.", func() float64 { return float64(n.conn.Stats().OutBytes) }),
	)
	return m
}

// asked notes a request to the directory.
func (m *meters) asked(request string, start time.Time, err error) {
	result := "ok"
	var kind session.Kind
	if errors.As(err, &kind) {
		result = kind.String()
	} else if err != nil {
		result = "error"
	}
	m.times.WithLabelValues(request, result).Observe(time.Since(start).Seconds())
}
