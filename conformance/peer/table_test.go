package peer

import (
	"os"
	"testing"
)

// The page of the cases is that of the cases there are, and no two have one name.
func TestTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/endpoints.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != Table() {
		t.Error("docs/endpoints.md is not what `go run ./conformance/peer/sdp-peer-test table` prints")
	}
	for _, cases := range [][]*Case{ServerCases(), ClientCases()} {
		names := map[string]bool{}
		for _, c := range cases {
			if names[c.Name] {
				t.Errorf("two cases are called %q", c.Name)
			}
			names[c.Name] = true
		}
	}
}
