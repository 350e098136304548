package lower_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/ir"
	"github.com/serial-data-protocol/sdp/compiler/lower"
)

const fiveMethods = `
	message Q { a: u8 }
	message A { a: u8 }
	struct B { a: u8 }
	service S {
		event told(B) = 1;
		call asked(Q) -> A = 2;
		stream down(Q) -> stream A = 3;
		stream up(stream A) -> Q = 4;
		stream both(stream Q) -> stream Q = 5;
	}`

func TestEachKindOfMethodHasAFlow(t *testing.T) {
	program, _ := planned(t, fiveMethods)
	for i, m := range program.Schema.Roots[0].Services[0].Methods {
		if want := lower.Flow(i); lower.FlowOf(m) != want {
			t.Errorf("%s is flow %d, want %d", m.Name, lower.FlowOf(m), want)
		}
	}
}

func TestTypesThatAreNamedAsHolesAreFilledInOnce(t *testing.T) {
	program, _ := planned(t, fiveMethods)
	spell := func(t *ir.Type) string { return "QA" + t.Decl.DeclName() }
	methods := program.Schema.Roots[0].Services[0].Methods
	if got := lower.Fill(methods[3], "take Q, give A", spell); got != "take QAA, give QAQ" {
		t.Error(got)
	}
	if got := lower.Fill(methods[0], "take Q", spell); got != "take QAB" {
		t.Error(got)
	}
}

func TestTypesOfServiceAreThereOnceByTheirNames(t *testing.T) {
	program, _ := planned(t, fiveMethods)
	named := func(methods []*ir.Method) string {
		list := make([]string, len(methods))
		for i, m := range methods {
			list[i] = m.Name
		}
		return strings.Join(list, "+")
	}
	var got []string
	for _, s := range lower.ServiceTypes(program.Schema.Roots[0].Services[0]) {
		got = append(got, fmt.Sprintf("%s asks %s answers %s", s.DeclName(), named(s.Requests), named(s.Responses)))
	}
	want := "A asks up answers asked+down, B asks told answers , Q asks asked+down+both answers up+both"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
}
