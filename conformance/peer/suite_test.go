package peer

import (
	"strings"
	"testing"
)

// TestACaseThatFailsAmongOthersIsPlayedOnceMore holds a suite to its word: what fails twice has failed, what passes by
// itself has passed and is told of, and where many fail none is played again.
func TestACaseThatFailsAmongOthersIsPlayedOnceMore(t *testing.T) {
	steady, busy, broken := &Case{Name: "steady"}, &Case{Name: "busy"}, &Case{Name: "broken"}
	for _, test := range []struct {
		again, passed int
		played        map[*Case]int
		told          []string
	}{
		{2, 2, map[*Case]int{steady: 1, busy: 2, broken: 2}, []string{"failed among others: busy", "FAILED  broken"}},
		{1, 1, map[*Case]int{steady: 1, busy: 1, broken: 1}, []string{"FAILED  busy", "FAILED  broken"}},
	} {
		played := map[*Case]int{}
		results := Selection{Again: test.again}.play([]*Case{steady, busy, broken}, func(c *Case) {
			played[c]++
			if c == broken || c == busy && played[c] == 1 {
				fail("no")
			}
		})
		text, passed := Report(results)
		if passed != test.passed {
			t.Errorf("%d passed", passed)
		}
		for c, times := range test.played {
			if played[c] != times {
				t.Errorf("%s was played %d times", c.Name, played[c])
			}
		}
		for _, want := range test.told {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing from\n%s", want, text)
			}
		}
	}
}
