package talk_test

import (
	"slices"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/check"
	"github.com/serial-data-protocol/sdp/compiler/talk"
)

// TestMockOfHealthServesItsOwn has a schema with a service that mocks serve anyway.
func TestMockOfHealthServesItsOwn(t *testing.T) {
	catalog := catalogOf(t, check.Memory{"health.sdp": `package mxp.health; struct Nothing {} service Health { call own(Nothing) -> Nothing = 7; }`}, "health.sdp")
	mock, err := talk.NewMock(catalog, nil, 0, func(_, _, _ string) {})
	if err != nil {
		t.Fatal(err)
	}
	services := mock.Services()
	if names := services.Names(); !slices.Equal(names, []string{"mxp.health.Health", "mxp.reflection.Reflection"}) {
		t.Errorf("it serves %q", names)
	}
	if methods, _, _ := services.Describe("mxp.health.Health"); len(methods) != 1 || methods[0].Number != 7 {
		t.Errorf("Health has %v", methods)
	}
}
