package sdp

import (
	"slices"
	"testing"
)

// Maps of up to 40 entries, some of whose keys begin alike, are on either side of the number
// up to which keys are sorted in place.
func TestKeysAreSortedHoweverManyThereAre(t *testing.T) {
	for n := range 40 {
		numbers, texts := map[int16]bool{}, map[string]int{}
		for i := range n {
			numbers[int16(i*7919)], texts[string([]byte{'a', byte(i * 37 % 5), byte(i)})] = true, i
		}
		var few [3]int16
		if keys := SortedKeys(few[:0], numbers); len(keys) != n || !slices.IsSorted(keys) {
			t.Errorf("the keys of %v come as %v", numbers, keys)
		}
		if keys := SortedKeys(nil, texts); len(keys) != n || !slices.IsSorted(keys) {
			t.Errorf("the keys of %v come as %q", texts, keys)
		}
	}
}
