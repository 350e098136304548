package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/serial-data-protocol/sdp/mxp/go/session"
)

// MethodName is a method as a failure lists it.
type MethodName struct {
	Kind   string
	Name   string // in its schema; empty where nobody has named it
	Number uint16
}

// MethodsText says which methods a service has instead of an unknown method: if they are many, the
// methods with the nearest numbers.
func MethodsText(service, kind string, number uint16, methods []MethodName) string {
	distance := func(m MethodName) int { return max(int(m.Number), int(number)) - min(int(m.Number), int(number)) }
	slices.SortFunc(methods, func(a, b MethodName) int { return cmp.Or(distance(a)-distance(b), int(a.Number)-int(b.Number)) })
	near := methods[:min(len(methods), listedMax)]
	slices.SortFunc(near, func(a, b MethodName) int { return int(a.Number) - int(b.Number) })
	names := make([]string, 0, listedMax)
	for _, m := range near {
		name := m.Kind + " "
		if m.Name != "" {
			name += m.Name + " = "
		}
		names = append(names, name+strconv.Itoa(int(m.Number)))
	}
	return fmt.Sprintf("%s has no %s %d; it has %s", service, kind, number, listed(names, len(methods)))
}

// ServiceUnknown is the failure of a request for a service that the peer does not have; names are
// the services that it has.
func ServiceUnknown(service string, names []string) *Failure {
	f := Refusal(session.ErrServiceUnknown, false)
	f.Text = "the peer does not serve " + service + "; it serves " + listed(names, len(names))
	return &f
}
