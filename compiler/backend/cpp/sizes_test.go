package cpp_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/serial-data-protocol/sdp/compiler/backend/cpp"
	"github.com/serial-data-protocol/sdp/compiler/internal/generated"
	"github.com/serial-data-protocol/sdp/compiler/memory"
	"github.com/serial-data-protocol/sdp/compiler/plan"
)

// sizeAssertions hold what values of the golden code take, in each of their forms,
// against the model that bounds on memory rest on.
func sizeAssertions(t *testing.T) string {
	t.Helper()
	program := plan.New(generated.Shared(t))
	costs := memory.New(program, memory.CPP)
	var all strings.Builder
	for _, pkg := range program.Schema.Packages {
		header, err := os.ReadFile(generated.Golden + cpp.Header(pkg))
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range program.Bodies(pkg) {
			name, inner, _ := strings.Cut(body.Decl.DeclName(), ".")
			forms := []string{name}
			if strings.Contains(string(header), "\nstruct "+name+"Ref;\n") {
				forms = append(forms, name+"Ref", "pmr::"+name)
			}
			for _, form := range forms {
				if inner != "" {
					form += "::" + inner
				}
				fmt.Fprintf(&all, "static_assert(sizeof(::%s::%s) <= %d, \"the model counts less\");\n",
					cpp.Namespace(pkg), form, costs.DeclSize(body.Decl))
			}
		}
	}
	if n := strings.Count(all.String(), "Ref"); n < 15 {
		t.Errorf("%d borrowed forms are measured", n)
	}
	return all.String()
}
