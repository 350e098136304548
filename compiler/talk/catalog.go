package talk

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/serial-data-protocol/sdp/compiler/diag"
	"github.com/serial-data-protocol/sdp/compiler/interp"
	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/plan"
	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// Catalog is the methods of all services of a schema. It is immutable.
type Catalog struct {
	program *plan.Program
	methods []*Method // in the order of the schema
}

// Method is a method of a service, with what turns its values into bytes.
type Method struct {
	*ir.Method
	// Service is the service's full name: package, dot, name [MXP-13.1].
	Service string
	// Request and Response are the codecs; an event has no Response.
	Request, Response *interp.Codec

	short string // the service's own name
}

// NewCatalog lists the services of a schema, and of all that it imports.
func NewCatalog(program *plan.Program) (*Catalog, error) {
	c := &Catalog{program: program}
	for _, pkg := range program.Schema.Packages {
		for _, service := range pkg.Services {
			for _, method := range service.Methods {
				m := &Method{Method: method, Service: pkg.Name + "." + service.Name, short: service.Name}
				var err error
				if m.Request, err = interp.New(program, method.Request.Decl); err != nil {
					return nil, err
				}
				if method.Response != nil {
					if m.Response, err = interp.New(program, method.Response.Decl); err != nil {
						return nil, err
					}
				}
				c.methods = append(c.methods, m)
			}
		}
	}
	return c, nil
}

// Methods lists all methods, in the order of the schema.
func (c *Catalog) Methods() []*Method { return c.methods }

// FullName is the service's full name, a slash and the method's name.
func (m *Method) FullName() string { return m.Service + "/" + m.Name }

// NameError says that a name means no method, or more than one.
type NameError struct {
	Message string
	// Near is a name that may have been meant, or empty.
	Near string
}

// Error is the message.
func (e *NameError) Error() string { return e.Message }

// Find finds the method that Service/method means. The service may be named
// without its package where that is enough.
func (c *Catalog) Find(name string) (*Method, error) {
	service, method, found := strings.Cut(name, "/")
	if !found {
		return nil, &NameError{fmt.Sprintf("%q is no method, which is named Service/method", name), c.nearest(name)}
	}
	var services []string
	var named []*Method
	for _, m := range c.methods {
		if m.Service != service && m.short != service {
			continue
		}
		if !slices.Contains(services, m.Service) {
			services = append(services, m.Service)
		}
		named = append(named, m)
	}
	switch len(services) {
	case 0:
		return nil, &NameError{fmt.Sprintf("there is no service %q in the schema", service), c.nearest(name)}
	case 1:
	default:
		return nil, &NameError{fmt.Sprintf("%q is each of %s", service, strings.Join(services, " and ")), services[0] + "/" + method}
	}
	for _, m := range named {
		if m.Name == method {
			return m, nil
		}
	}
	return nil, &NameError{fmt.Sprintf("%s has no method %q", services[0], method), c.nearest(name)}
}

// Select finds the method that Service/method means, or for a service alone all of its
// methods.
func (c *Catalog) Select(name string) ([]*Method, error) {
	if strings.Contains(name, "/") {
		m, err := c.Find(name)
		return []*Method{m}, err
	}
	var found []*Method
	for _, m := range c.methods {
		if m.Service != name && m.short != name {
			continue
		}
		if len(found) > 0 && found[0].Service != m.Service {
			return nil, &NameError{fmt.Sprintf("%q is each of %s and %s", name, found[0].Service, m.Service), m.Service}
		}
		found = append(found, m)
	}
	if found == nil {
		return nil, &NameError{fmt.Sprintf("there is no service %q in the schema", name), diag.Nearest(name, c.Services())}
	}
	return found, nil
}

// nearest is the name of the method that most looks like one that there is not,
// as short as that is.
func (c *Catalog) nearest(name string) string {
	short := !strings.Contains(strings.TrimSuffix(name, "/"), ".")
	var names []string
	for _, m := range c.methods {
		if short {
			names = append(names, m.short+"/"+m.Name)
		} else {
			names = append(names, m.FullName())
		}
	}
	return diag.Nearest(name, names)
}

// Numbered finds the method that a service has by a number; nil if there is none.
func (c *Catalog) Numbered(service string, number uint16) *Method {
	for _, m := range c.methods {
		if m.Service == service && m.Number == number {
			return m
		}
	}
	return nil
}

// Services lists the full names of the services, in the order of the schema.
func (c *Catalog) Services() []string {
	var names []string
	for _, m := range c.methods {
		if !slices.Contains(names, m.Service) {
			names = append(names, m.Service)
		}
	}
	return names
}

// Types lists what a Hello says of the types of some services [MXP-13.3].
func (c *Catalog) Types(services ...string) []session.Type {
	byName := map[string]*session.Type{}
	of := func(t *ir.Type) *session.Type {
		name := ir.FullName(t.Decl)
		if byName[name] == nil {
			byName[name] = &session.Type{Name: name, Fingerprints: plan.FingerprintsOf(t.Decl).Cumulative, Layout: plan.Layout(t.Decl)}
		}
		return byName[name]
	}
	for _, m := range c.methods {
		if !slices.Contains(services, m.Service) {
			continue
		}
		method := session.Method{Service: m.Service, Name: m.Method.Name, Number: m.Number}
		request := of(m.Method.Request)
		request.Requests = append(request.Requests, method)
		if m.Method.Response != nil {
			response := of(m.Method.Response)
			response.Responses = append(response.Responses, method)
		}
	}
	var types []session.Type
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		types = append(types, *byName[name])
	}
	return types
}
