package reflection

import (
	"context"

	mxp "github.com/serial-data-protocol/sdp/mxp/go"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Serve adds Reflection to services, beside the services that are there or are added before the
// server is made. It describes all of them to any peer that may connect [MXP-13.10].
func Serve(services *mxp.Services) { RegisterReflection(services, &server{services: services}) }

// server serves Reflection.
type server struct {
	UnimplementedReflection
	services *mxp.Services
}

func (s *server) List(context.Context, *ListRequest) (*ServiceList, error) {
	return &ServiceList{Names: s.services.Names()}, nil
}

func (s *server) Describe(_ context.Context, request *DescribeRequest) (*Service, error) {
	return Describe(s.services, request.Service)
}

// Describe is what Reflection tells of a service. An unknown service is refused, by name as
// service_unknown.
func Describe(services *mxp.Services, name string) (*Service, error) {
	methods, types, ok := services.Describe(name)
	if !ok {
		unknown := session.ErrServiceUnknown
		return nil, mxp.Refuse(mxp.Failure{
			Status: session.Status(unknown.Status()), Name: unknown.String(), Text: "there is no service " + name,
		})
	}
	described := &Service{Name: name}
	for i := range methods {
		described.Methods = append(described.Methods, methodOf(&methods[i]))
	}
	for _, t := range types {
		described.Types = append(described.Types, Type{Name: t.Name, Fingerprints: t.Fingerprints, Layout: t.Layout})
	}
	return described, nil
}

func methodOf(d *mxp.Description) Method {
	m := Method{
		Name: d.Name, Number: d.Number, Idempotent: d.Idempotent,
		Kind:    map[mxp.Kind]Kind{mxp.KindCall: KindCall, mxp.KindEvent: KindEvent, mxp.KindStream: KindStream}[d.Kind],
		Request: Value{Type: d.Request, Flows: d.RequestFlows},
	}
	if d.Kind != mxp.KindEvent {
		m.Response = &Value{Type: d.Response, Flows: d.ResponseFlows}
	}
	return m
}
