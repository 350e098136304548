package main

import "testing"

// Two fields of one type lie beside each other: the first gets the second's name, and the second a
// new one. The report says that one was removed and another added, and the bytes are the same.
func TestFieldsOfOneTypeThatChangeNamesAreNoOtherLayout(t *testing.T) {
	p, err := newPair(1428293287, 832)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range p.Verdicts {
		if v.Name == "s.Root" {
			if v.OldReads != open || v.NewReads != open {
				t.Errorf("%v: the old reads the new: %s, the new the old: %s", p.Edits, v.OldReads, v.NewReads)
			}
			return
		}
	}
	t.Error("the pair has no Root")
}
