package talk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/health"
	"github.com/serial-data-protocol/sdp/mxp/go/reflection"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Mock answers every method of a catalog: as a script says, or else with a value
// of no particular content.
type Mock struct {
	catalog *Catalog
	scripts Answers
	delay   time.Duration
	// seen is told of each message: call, event, stream or chunk, the method, and the request as
	// JSON, or its error; and of the end of a stream.
	seen func(subject, method, text string)
}

// NewMock makes a mock. Seen is told of messages from several goroutines.
func NewMock(catalog *Catalog, answers Answers, delay time.Duration, visited func(subject, method, text string)) (*Mock, error) {
	m := &Mock{catalog: catalog, scripts: Answers{}, delay: delay, seen: visited}
	for _, method := range catalog.methods {
		s := answers[method]
		if s == nil {
			s = &script{}
			if method.Response != nil {
				one, err := method.Response.Append(nil, method.Response.Default(), interp.ByteMode)
				if err != nil {
					return nil, fmt.Errorf("%s needs an answer in the file of answers, for none can be made up: %w", method.FullName(), err)
				}
				s.answers = [][]byte{one}
			}
		}
		m.scripts[method] = s
	}
	return m, nil
}

// Services are the mock's handlers, and beside them Health and Reflection, unless the
// catalog has services of these names.
func (m *Mock) Services() *mxp.Services {
	services := mxp.NewServices()
	for _, method := range m.catalog.methods {
		service := services.Service(method.Service)
		switch method.Kind {
		case ir.Call:
			service.Call(method.Number, func(ctx context.Context, r *mxp.Request) ([]byte, error) { return m.call(ctx, method, r) })
		case ir.Event:
			service.Event(method.Number, func(_ context.Context, r *mxp.Request) error { return m.event(method, r) })
		case ir.Stream:
			service.Stream(method.Number, func(ctx context.Context, r *mxp.Request, s *mxp.Stream) error { return m.stream(ctx, method, r, s) })
		}
	}
	if !slices.Contains(m.catalog.Services(), health.HealthName) {
		health.Serve(services)
	}
	if !slices.Contains(m.catalog.Services(), reflection.ReflectionName) {
		reflection.RegisterReflection(services, &mirror{services: services, catalog: m.catalog.Describe()})
	}
	return services
}

// mirror serves Reflection: what a mock serves is known by its schema, and the rest by the
// stubs that it was registered with.
type mirror struct {
	reflection.UnimplementedReflection
	services *mxp.Services
	catalog  []*reflection.Service
}

// List gives the names of all services.
func (r *mirror) List(context.Context, *reflection.ListRequest) (*reflection.ServiceList, error) {
	return &reflection.ServiceList{Names: r.services.Names()}, nil
}

// Describe gives the methods and types of a service.
func (r *mirror) Describe(_ context.Context, request *reflection.DescribeRequest) (*reflection.Service, error) {
	for _, service := range r.catalog {
		if service.Name == request.Service {
			return service, nil
		}
	}
	return reflection.Describe(r.services, request.Service)
}

// chunk is the name of a request that flows.
const chunk = "chunk"

// came tells of a request, and refuses one that can't be decoded. Nobody has acted
// on one that was; a chunk comes when somebody may have [MXP-13.4].
func (m *Mock) came(subject string, method *Method, value []byte, metadata []session.Metadatum) error {
	line, err := Line(method.Request, value)
	if err != nil {
		err = undecoded(err, session.StatusInvalidArgument)
		m.seen(subject, method.FullName(), "refused: "+Printable(err.Error()))
		var f *mxp.Failure
		if subject != chunk && errors.As(err, &f) {
			return mxp.Refuse(*f)
		}
		return err
	}
	m.seen(subject, method.FullName(), line+Metadata(metadata))
	return nil
}

// Metadata are keys and values as they stand behind a value in a line: text where
// it is such, else hexadecimal.
func Metadata(metadata []session.Metadatum) string {
	var text strings.Builder
	for _, datum := range metadata {
		value := string(datum.Value)
		if strings.ToValidUTF8(value, "") != value {
			value = fmt.Sprintf("0x%x", datum.Value)
		}
		fmt.Fprintf(&text, "  %s=%s", Printable(datum.Key), Printable(value))
	}
	return text.String()
}

// wait waits before an answer, if that is wanted.
func (m *Mock) wait(ctx context.Context) error {
	if m.delay <= 0 {
		return nil
	}
	select {
	case <-time.After(m.delay):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failed is the error that a script ends with, if it does.
func (s *script) failed() error {
	if s.failure == nil {
		return nil
	}
	return s.failure
}

func (m *Mock) call(ctx context.Context, method *Method, r *mxp.Request) ([]byte, error) {
	if err := m.came("call", method, r.Value, r.Metadata); err != nil {
		return nil, err
	}
	if err := m.wait(ctx); err != nil {
		return nil, err
	}
	s := m.scripts[method]
	if err := s.failed(); err != nil {
		return nil, err
	}
	return s.answers[0], nil
}

func (m *Mock) event(method *Method, r *mxp.Request) error {
	if err := m.came("event", method, r.Value, r.Metadata); err != nil {
		return err
	}
	return m.scripts[method].failed()
}

// ending is why a stream has ended, as a line tells it.
func ending(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return session.ErrCancelled.String()
	case errors.Is(err, context.DeadlineExceeded):
		return session.ErrDeadlineExceeded.String()
	}
	return Printable(err.Error())
}

// stream reads requests to their end, or gives an answer for each; then it gives
// the answers that are left.
func (m *Mock) stream(ctx context.Context, method *Method, r *mxp.Request, stream *mxp.Stream) (err error) {
	defer func() {
		m.seen("end", method.FullName(), ending(err))
	}()
	s := m.scripts[method]
	if !method.RequestFlows {
		if err := m.came("stream", method, r.Value, r.Metadata); err != nil {
			return err
		}
		return m.sendAll(ctx, stream, s)
	}
	m.seen("stream", method.FullName(), strings.TrimPrefix(Metadata(r.Metadata), "  "))
	for n := 0; ; n++ {
		value, err := stream.Recv(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = m.came(chunk, method, value, nil)
		}
		if err == nil && method.ResponseFlows {
			err = m.sendNext(ctx, stream, s, n)
		}
		if err != nil {
			return err
		}
	}
	if method.ResponseFlows {
		return s.failed()
	}
	return m.sendAll(ctx, stream, s)
}

// sendNext answers one flowing request with the next answer; after the last it begins again, unless
// an error is to come.
func (m *Mock) sendNext(ctx context.Context, stream *mxp.Stream, s *script, n int) error {
	if len(s.answers) == 0 || s.failure != nil && n >= len(s.answers) {
		return s.failed()
	}
	if err := m.wait(ctx); err != nil {
		return err
	}
	return stream.Send(ctx, s.answers[n%len(s.answers)])
}

func (m *Mock) sendAll(ctx context.Context, stream *mxp.Stream, s *script) error {
	for _, answer := range s.answers {
		if err := m.wait(ctx); err != nil {
			return err
		}
		if err := stream.Send(ctx, answer); err != nil {
			return err
		}
	}
	if len(s.answers) == 0 {
		if err := m.wait(ctx); err != nil {
			return err
		}
	}
	return s.failed()
}
