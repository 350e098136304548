package driver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/talk"
	"github.com/serial-data-protocol/sdp/mxp/go/health"
	"github.com/serial-data-protocol/sdp/mxp/go/reflection"
)

// ListOptions says whose services are listed, and how.
type ListOptions struct {
	// CallOptions has the schemas, or the address and how its peer is asked.
	CallOptions
	// JSON prints one value instead of a line for each method.
	JSON bool
}

// List prints the services and methods of a schema, or of the peer at an address: by reflection,
// and without it their names, which Hello has.
func (t *Tool) List(options ListOptions) error {
	if options.Address == "" {
		catalog, err := t.catalog(options.Schemas)
		if err != nil {
			return err
		}
		services := catalog.Describe()
		return t.printServices(services, map[string]any{"services": services}, options.JSON)
	}
	if len(options.Schemas) > 0 {
		return usagef("--schema is for a list without an address: a peer says itself what it serves")
	}
	peer, err := peerOf(options.CallOptions)
	if err != nil {
		return err
	}
	ctx, done := t.patiently(options.CallOptions)
	defer done()
	listing, unknown := peer.Services(ctx)
	if listing == nil {
		return t.failed(ctx, "--list", unknown)
	}
	if err := t.printServices(listing.Services, listing, options.JSON); err != nil {
		return err
	}
	if !listing.Reflection {
		_, err := fmt.Fprintf(t.Err, "sdp: %s does not serve %s, which would tell methods and types\n", options.Address, reflection.ReflectionName)
		return err
	}
	return t.failed(ctx, "--list", unknown)
}

// printServices prints a line for each method, and for each service whose methods are
// not known; or all as JSON.
func (t *Tool) printServices(services []*reflection.Service, list any, asJSON bool) error {
	if asJSON {
		var text strings.Builder
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false) // layout texts have less-than signs
		if err := encoder.Encode(list); err != nil {
			return err
		}
		_, err := fmt.Fprintln(t.Out, talk.Printable(strings.TrimSuffix(text.String(), "\n")))
		return err
	}
	for _, service := range services {
		lines := []string{talk.Printable(service.Name)}
		if len(service.Methods) > 0 {
			lines = nil
		}
		for i := range service.Methods {
			lines = append(lines, talk.Declaration(service.Name, &service.Methods[i]))
		}
		for _, line := range lines {
			if _, err := fmt.Fprintln(t.Out, line); err != nil {
				return err
			}
		}
	}
	return nil
}

// Health prints the state of a service of a peer's, or of the peer as a whole. Any
// other than Serving is refused.
func (t *Tool) Health(options CallOptions, service string) error {
	peer, err := peerOf(options)
	if err != nil {
		return err
	}
	ctx, done := t.patiently(options)
	defer done()
	state, err := peer.Health(ctx, service)
	if err != nil {
		return t.failed(ctx, "--health", err)
	}
	if _, err := fmt.Fprintln(t.Out, state); err != nil {
		return err
	}
	return refusedIf(state != health.StateServing)
}

// peerOf is the peer that is asked about itself.
func peerOf(options CallOptions) (peer *talk.Peer, err error) {
	peer = &talk.Peer{}
	if peer.Metadata, err = metadata(options.Metadata); err != nil {
		return nil, err
	}
	peer.Address, peer.TLS, err = secured(options)
	return peer, err
}

// patiently is a context that ends with the deadline, or when the program is
// interrupted.
func (t *Tool) patiently(options CallOptions) (context.Context, func()) {
	ctx, done := t.interruptible()
	deadline := options.Deadline
	if deadline < 0 {
		deadline = DefaultDeadline
	}
	if deadline == 0 {
		return ctx, done
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	return ctx, func() { cancel(); done() }
}
