package node

import (
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// staleAfter is how old the directory may be of a node that is well.
const staleAfter = 5 * time.Second

// available reports whether the node reaches what keeps the directory.
func (n *Node) available() (age time.Duration, ok bool) {
	age, ok = n.registry.Cache().Age()
	return age, ok && age < staleAfter
}

// serveHTTP shows how the node is: /healthz and /metrics.
func (n *Node) serveHTTP(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		age, ok := n.available()
		if !ok || n.drains.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"node": n.config.Name, "available": ok, "drains": n.drains.Load(), "age_seconds": age.Seconds()})
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(n.meters.registry, promhttp.HandlerOpts{}))
	n.http = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	n.running.Go(func() {
		if err := n.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			n.logger.Error("HTTP has ended", "error", err)
		}
	})
	n.logger.Info("shows /healthz and /metrics", "address", listener.Addr().String())
	return nil
}
