package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
)

func init() {
	peers["net/http"] = peer{serve: serveHTTP, connect: connectHTTP}
}

func serveHTTP(at address) error {
	listener, err := net.Listen(at.network, at.at)
	if err != nil {
		return err
	}
	at.ready(listener.Addr())
	return http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := readBody(r.Body, r.ContentLength)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		// The client is gone if this fails.
		_, _ = w.Write(body)
	}))
}

// readBody reads into a slice of the right size.
func readBody(body io.Reader, size int64) ([]byte, error) {
	if size < 0 || size > 1<<20 {
		return nil, fmt.Errorf("a body of %d bytes", size)
	}
	data := make([]byte, size)
	_, err := io.ReadFull(body, data)
	return data, err
}

// httpCaller has a client of its own, which keeps one connection alive.
type httpCaller struct{ client *http.Client }

func connectHTTP(at address) (caller, error) {
	var dialer net.Dialer
	return httpCaller{&http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, at.network, at.at)
		},
		MaxConnsPerHost:    1,
		DisableCompression: true,
	}}}, nil
}

func (httpCaller) another() caller { return nil }

func (c httpCaller) call(p payload) error {
	reply, err := c.client.Post("http://localhost/echo", "application/octet-stream", bytes.NewReader(p.bytes))
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answers %s", reply.Status)
	}
	// A reply that is longer than the server's buffer has no length.
	size := reply.ContentLength
	if size < 0 {
		size = int64(len(p.bytes))
	}
	body, err := readBody(reply.Body, size)
	if err != nil {
		return err
	}
	// The connection is used again if the body was read to its end.
	if _, err := io.Copy(io.Discard, reply.Body); err != nil {
		return err
	}
	return p.look(body)
}
